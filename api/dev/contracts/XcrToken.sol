// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {DevToken} from "./DevToken.sol";

/** The reward token. */
contract XcrToken is DevToken {
    function name() external pure override returns (string memory) {
        return "XCR";
    }

    function symbol() external pure override returns (string memory) {
        return "XCR";
    }
}
