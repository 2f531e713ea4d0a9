// Compares the vectors of signed notes and of trees with golang.org/x/mod/sumdb, the implementation of Go's checksum database. Reads
// vectors.json from its first argument. It does not know the register: only that a note is signed, and that a tree has a root and proofs.
package main

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type refused struct{ Why, Note, Because string }

type vectors struct {
	Checkpoint struct{ Vkey, Note string }
	Receipts   struct {
		Vkey    string
		Notes   map[string]string
		Refused []refused
	}
	Checkpoints struct{ Refused []refused }
	Log         struct {
		Keys        string
		Checkpoints []struct {
			Size int64
			Note string
		}
		Entries   []string
		Hashes    []string
		Root      string
		Inclusion []struct {
			Index, Size int64
			Path        []string
		}
		Consistency []struct {
			From, To int64
			Path     []string
		}
	}
}

func must(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func demand(holds bool, what string, about ...any) {
	if !holds {
		must(fmt.Errorf(what, about...))
	}
}

func verifierOf(key string) note.Verifier {
	verifier, err := note.NewVerifier(key)
	must(err)
	return verifier
}

// Opens what is signed, and refuses what has a wrong signature or none. What else the register refuses, notes allow.
func checkNotes(kind string, known note.Verifiers, signed []string, refused []refused) {
	for _, text := range signed {
		_, err := note.Open([]byte(text), known)
		must(err)
	}
	for _, each := range refused {
		_, err := note.Open([]byte(each.Note), known)
		demand(err != nil || each.Because != "signature", "Go accepts a %s: %s", kind, each.Why)
	}
}

func main() {
	file, err := os.ReadFile(os.Args[1])
	must(err)
	var v vectors
	must(json.Unmarshal(file, &v))

	logKey, receiptKey := verifierOf(v.Checkpoint.Vkey), verifierOf(v.Receipts.Vkey)
	checkNotes("checkpoint", note.VerifierList(logKey), []string{v.Checkpoint.Note}, v.Checkpoints.Refused)
	receipts := []string{}
	for _, receipt := range v.Receipts.Notes {
		receipts = append(receipts, receipt)
	}
	checkNotes("receipt", note.VerifierList(receiptKey), receipts, v.Receipts.Refused)

	stored := []tlog.Hash{}
	reader := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		hashes := make([]tlog.Hash, len(indexes))
		for i, index := range indexes {
			hashes[i] = stored[index]
		}
		return hashes, nil
	})
	leaves := make([]tlog.Hash, len(v.Log.Entries))
	for i, entry := range v.Log.Entries {
		leaves[i] = tlog.RecordHash([]byte(entry))
		demand(hex.EncodeToString(leaves[i][:]) == v.Log.Hashes[i], "entry %d has another leaf hash", i)
		added, err := tlog.StoredHashes(int64(i), []byte(entry), reader)
		must(err)
		stored = append(stored, added...)
	}
	rootOf := func(size int64) tlog.Hash {
		root, err := tlog.TreeHash(size, reader)
		must(err)
		return root
	}
	root := rootOf(int64(len(leaves)))
	demand(base64.StdEncoding.EncodeToString(root[:]) == v.Log.Root, "the log has another root")

	newest := verifierOf(strings.Split(v.Log.Keys, "\n")[0])
	for _, checkpoint := range v.Log.Checkpoints {
		opened, err := note.Open([]byte(checkpoint.Note), note.VerifierList(logKey, newest))
		must(err)
		root := rootOf(checkpoint.Size)
		text := fmt.Sprintf("%s\n%d\n%s\n", logKey.Name(), checkpoint.Size, base64.StdEncoding.EncodeToString(root[:]))
		demand(opened.Text == text, "the checkpoint of %d entries has another text", checkpoint.Size)
	}

	path := func(text []string) []tlog.Hash {
		hashes := make([]tlog.Hash, len(text))
		for i, each := range text {
			bytes, err := hex.DecodeString(each)
			must(err)
			copy(hashes[i][:], bytes)
		}
		return hashes
	}
	for _, proof := range v.Log.Inclusion {
		must(tlog.CheckRecord(path(proof.Path), proof.Size, rootOf(proof.Size), proof.Index, leaves[proof.Index]))
	}
	for _, proof := range v.Log.Consistency {
		must(tlog.CheckTree(path(proof.Path), proof.To, rootOf(proof.To), proof.From, rootOf(proof.From)))
	}
	fmt.Printf(
		"%d entries, %d checkpoints, %d receipts, %d proofs: Go agrees\n",
		len(leaves), len(v.Log.Checkpoints), len(receipts), len(v.Log.Inclusion)+len(v.Log.Consistency),
	)
}
