// SPDX-License-Identifier: Apache-2.0
//
// Which instruction sets the kernels are not compiled for; included before any Highway header. Tiles are arrays of
// vectors, which the scalable vectors of SVE and RVV cannot form: Arm runs the NEON kernels, which fuse multiply-adds
// as well. Processors with SSSE3 and no SSE4 are older than 2008 and served by the fallback.

#pragma once

#ifdef CREDENS_FEW_TARGETS  // one with vectors and one without are enough for sanitizers, which compile them slowly
#define CREDENS_LEFT_OUT (HWY_SSE4 | HWY_AVX3 | HWY_AVX3_DL)
#else
#define CREDENS_LEFT_OUT 0
#endif

#define HWY_DISABLED_TARGETS (CREDENS_LEFT_OUT | HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
