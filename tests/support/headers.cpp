// SPDX-License-Identifier: Apache-2.0
//
// Nothing but the headers that all tests share: CMake compiles them for a target that has a source.
