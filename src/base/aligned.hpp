// SPDX-License-Identifier: Apache-2.0
//
// Vectors whose first value lies on a 64-byte boundary, as the kernels want them; large ones on pages of 2 MB where the
// system has them, since rows that are read in random order would miss a table of small pages almost always.

#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <vector>

namespace credens::base {

template <class T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::size_t large = 2U << 20U;  ///< bytes

  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    void* memory = ::operator new(bytes, alignment_of(bytes));
#ifdef MADV_HUGEPAGE
    if (bytes >= large) madvise(memory, bytes, MADV_HUGEPAGE);  // a hint, which may be ignored
#endif
    return static_cast<T*>(memory);
  }

  void deallocate(T* pointer, std::size_t count) { ::operator delete(pointer, alignment_of(count * sizeof(T))); }
  bool operator==(const AlignedAllocator&) const { return true; }

 private:
  static std::align_val_t alignment_of(std::size_t bytes) { return std::align_val_t(bytes < large ? 64 : large); }
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

}  // namespace credens::base
