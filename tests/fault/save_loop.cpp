// SPDX-License-Identifier: Apache-2.0
//
// Saves two models under one name, in turns and without end: somebody else ends it.
//
// Usage: save_loop MODEL MODEL TARGET

#include <credens/store.hpp>

int main(int count, char** words) {
  if (count != 4) return 2;
  const credens::Ensemble models[] = {credens::load(words[1]), credens::load(words[2])};
  for (unsigned i = 0;; ++i) credens::save(models[i % 2], words[3]);
}
