// SPDX-License-Identifier: Apache-2.0

#include <credens/store.hpp>

#include "store/outputs_writer.hpp"

namespace credens {

void save_outputs(const OutputsFolder& folder, const std::filesystem::path& path) {
  store::OutputsWriter writer(path, folder.outputs, folder.prior_precision, folder.outputs.rows());
  writer.add(folder.outputs);
  writer.commit();
}

}  // namespace credens
