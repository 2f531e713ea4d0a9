// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {DevToken} from "./DevToken.sol";

/** USDT with 18 decimals, as on BNB Smart Chain. */
contract Bep20Usdt is DevToken {
    function name() external pure override returns (string memory) {
        return "Tether USD";
    }

    function symbol() external pure override returns (string memory) {
        return "USDT";
    }
}
