// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/**
 * Sizes and roots of the public register's log, appended by one publisher (api/integrity/register/format.md, section 9).
 * It has no owner, no upgrade and no deletion. Changing this file changes the code that verifiers compare with.
 */
contract RegisterAnchor {
    struct Anchor {
        uint64 size;
        uint64 time;
        bytes32 root;
    }

    event Anchored(uint256 indexed index, uint64 size, bytes32 root);

    error NotThePublisher();
    error SizeNotAboveTheLast(uint64 last);

    uint256 private constant PAGE = 1000;

    address public immutable publisher;
    Anchor[] private anchors;

    constructor(address publisher_) {
        publisher = publisher_;
    }

    function count() external view returns (uint256) {
        return anchors.length;
    }

    /** The anchors from an index on, at most 1,000. Beyond the end there are none. */
    function since(uint256 first) external view returns (Anchor[] memory page) {
        uint256 total = anchors.length;
        uint256 length = first < total ? total - first : 0;
        if (length > PAGE) length = PAGE;
        page = new Anchor[](length);
        for (uint256 i = 0; i < length; i++) page[i] = anchors[first + i];
    }

    /** Sending the last anchor again changes nothing, so that a publisher may repeat it after a lost answer. */
    function anchor(uint64 size, bytes32 root) external {
        if (msg.sender != publisher) revert NotThePublisher();
        uint256 total = anchors.length;
        uint64 last = total == 0 ? 0 : anchors[total - 1].size;
        if (total > 0 && size == last && root == anchors[total - 1].root) return;
        if (size <= last) revert SizeNotAboveTheLast(last);
        anchors.push(Anchor(size, uint64(block.timestamp), root));
        emit Anchored(total, size, root);
    }
}
