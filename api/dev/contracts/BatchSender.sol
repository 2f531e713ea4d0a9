// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

interface Token {
    function transfer(address to, uint256 value) external returns (bool);
}

/** Sends several transfers in one transaction, as smart wallets do. Used by tests. */
contract BatchSender {
    function send(Token token, address to, uint256[] calldata values) external {
        for (uint256 i = 0; i < values.length; i++) token.transfer(to, values[i]);
    }

    function sendEach(Token token, address[] calldata to, uint256[] calldata values) external {
        for (uint256 i = 0; i < values.length; i++) token.transfer(to[i], values[i]);
    }
}
