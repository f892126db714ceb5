// SPDX-License-Identifier: Apache-2.0

#include "data/shared_table.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <utility>

#include "base/bytes.hpp"
#include "base/descriptor.hpp"
#include "base/file.hpp"
#include "base/memory.hpp"
#include "data/table_files.hpp"

namespace credens::data {

namespace {

/// Where the values of a table are, and all else that its readers must know.
struct SharedTable {
  bool is_shared = false;  ///< false: every rank reads for itself
  pid_t process = 0;       ///< whose descriptor it is
  int descriptor = -1;
  std::size_t rows = 0;
  Table header = {};  ///< no rows; all faults of the table
};

std::string encode(const SharedTable& table) {
  std::string bytes;
  base::append_value(bytes, table.is_shared);
  base::append_value(bytes, table.process);
  base::append_value(bytes, table.descriptor);
  base::append_value(bytes, table.rows);
  base::append_value(bytes, table.header.cols());
  base::append_value(bytes, table.header.first_line);
  base::append_text(bytes, table.header.source);
  base::append_value(bytes, table.header.names.size());
  for (const std::string& name : table.header.names) base::append_text(bytes, name);
  base::append_value(bytes, table.header.faults.size());
  for (const auto& fault : table.header.faults) {
    base::append_value(bytes, fault.has_value());
    if (fault) base::append_value(bytes, fault->row);
    if (fault) base::append_text(bytes, fault->sentence);
  }
  return bytes;
}

SharedTable decode(std::string_view bytes) {
  base::ByteReader reader(bytes);
  SharedTable table;
  table.is_shared = reader.value<bool>();
  table.process = reader.value<pid_t>();
  table.descriptor = reader.value<int>();
  table.rows = reader.value<std::size_t>();
  table.header.values = Matrix(0, reader.value<std::size_t>());
  table.header.first_line = reader.value<std::size_t>();
  table.header.source = reader.text();
  for (auto left = reader.value<std::size_t>(); left > 0; --left) table.header.names.push_back(reader.text());
  for (auto left = reader.value<std::size_t>(); left > 0; --left) {
    auto& fault = table.header.faults.emplace_back();
    if (!reader.value<bool>()) continue;
    const auto row = reader.value<std::size_t>();
    fault = {.row = row, .sentence = reader.text()};
  }
  return table;
}

/// The rows of a table whose values lie in memory, one row after the other.
class SharedPortions : public RowPortions {
 public:
  /// `memory` is mapped and need not stay open.
  SharedPortions(const SharedTable& table, const base::Descriptor& memory) : header_(table.header), rows_(table.rows) {
    size_ = rows_ * header_.cols() * sizeof(double);
    void* mapping = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, memory.number(), 0);
    base::require(mapping != MAP_FAILED, ErrorCode::io, "{}: its values cannot be mapped: {}", header_.source,
                  base::error_text(errno));
    values_ = {static_cast<const double*>(mapping), rows_ * header_.cols()};
    faults_ = std::exchange(header_.faults, {});
  }
  ~SharedPortions() override { ::munmap(const_cast<double*>(values_.data()), size_); }

  const Table& header() const override { return header_; }
  const std::vector<std::optional<ColumnFault>>& faults() const override { return faults_; }
  std::size_t count_rows() override { return rows_; }
  std::size_t guess_rows() const override { return rows_; }
  void rewind() override { next_row_ = 0; }

  bool append(std::vector<double>& values) override {
    constexpr std::size_t values_at_once = std::size_t{1} << 19;
    const std::size_t cols = header_.cols();
    const std::size_t count = std::min(rows_ - next_row_, std::max<std::size_t>(1, values_at_once / cols));
    const std::span<const double> portion = values_.subspan(next_row_ * cols, count * cols);
    values.insert(values.end(), portion.begin(), portion.end());
    next_row_ += count;
    return count > 0;
  }

 private:
  Table header_;
  std::vector<std::optional<ColumnFault>> faults_;  ///< of the whole table: readers ask up to where they are
  std::size_t rows_;
  std::size_t next_row_ = 0;
  std::size_t size_ = 0;  ///< bytes
  std::span<const double> values_;
};

bool fits_into_memory(RowPortions& portions) {
  return portions.count_rows() * portions.header().cols() * sizeof(double) < base::machine_memory() / 2;
}

/// Memory without a name, which goes when the last process that maps it goes, however that ends.
SharedTable unpack(RowPortions& portions, base::Descriptor& memory) {
  SharedTable table{.process = ::getpid(), .header = portions.header()};
  memory = base::Descriptor(::memfd_create("credens table", MFD_CLOEXEC));
  if (!memory.is_open()) return table;
  std::size_t count = 0;
  for (std::vector<double> values; portions.append(values); values.clear()) {
    base::write_at(memory.number(), count * sizeof(double),
                   {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)},
                   "the shared memory for " + table.header.source);
    count += values.size();
  }
  table.is_shared = count > 0;
  table.descriptor = memory.number();
  table.rows = count / table.header.cols();
  table.header.faults = portions.faults();
  return table;
}

/// Of all machines, by the rank that leads there.
SharedTable table_of_node(base::Team& team, const std::string& own) {
  std::string all;
  for (const std::string& table : team.gather(own)) base::append_text(all, table);
  all = team.broadcast(std::move(all));
  base::ByteReader reader(all);
  for (std::size_t rank = 0; rank < team.node_leader(); ++rank) reader.text();
  return decode(reader.text());
}

}  // namespace

std::unique_ptr<RowPortions> open_shared_table(base::Team& team, const std::filesystem::path& path,
                                               const TableFormat& format) {
  if (team.is_alone() || path.extension() == ".npy") return open_table(path, format, FileKind::any);
  base::Descriptor memory;
  std::string own;
  if (team.rank() == team.node_leader()) {
    const std::unique_ptr<RowPortions> portions = open_table(path, format, FileKind::any);
    own = encode(fits_into_memory(*portions) ? unpack(*portions, memory) : SharedTable{});
  }
  const SharedTable table = table_of_node(team, own);
  std::unique_ptr<RowPortions> rows;
  if (table.is_shared) {
    if (!memory.is_open()) {
      const std::string place = fmt::format("/proc/{}/fd/{}", table.process, table.descriptor);
      memory = base::Descriptor(::open(place.c_str(), O_RDONLY | O_CLOEXEC));
    }
    if (memory.is_open()) rows = std::make_unique<SharedPortions>(table, memory);
  }
  team.gather({});  // the descriptor has been opened by all who could
  return rows ? std::move(rows) : open_table(path, format, FileKind::any);
}

}  // namespace credens::data
