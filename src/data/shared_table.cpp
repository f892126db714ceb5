// SPDX-License-Identifier: Apache-2.0

#include "data/shared_table.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
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
  dev_t device = 0;  ///< with the inode: what was opened is this and nothing else
  ino_t inode = 0;
  std::size_t rows = 0;
  Table header = {};  ///< no rows; all faults of the table

  std::size_t bytes() const { return rows * header.cols() * sizeof(double); }
};

std::string encode(const SharedTable& table) {
  std::string bytes;
  base::append_value(bytes, table.is_shared);
  base::append_value(bytes, table.process);
  base::append_value(bytes, table.descriptor);
  base::append_value(bytes, table.device);
  base::append_value(bytes, table.inode);
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
  table.device = reader.value<dev_t>();
  table.inode = reader.value<ino_t>();
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
  /// `mapping` has the values; unmapped in the end.
  SharedPortions(const SharedTable& table, void* mapping)
      : header_(table.header),
        faults_(std::exchange(header_.faults, {})),
        rows_(table.rows),
        values_(static_cast<const double*>(mapping), rows_ * header_.cols()) {}
  ~SharedPortions() override { ::munmap(const_cast<double*>(values_.data()), values_.size_bytes()); }

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
  std::span<const double> values_;
};

/// False: there is no room for so much.
bool write_values(const base::Descriptor& memory, std::size_t at, std::span<const double> values) {
  try {
    base::write_at(memory.number(), at * sizeof(double),
                   {reinterpret_cast<const char*>(values.data()), values.size_bytes()}, "shared memory");
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Memory without a name, which goes when the last process that maps it goes, however that ends.
SharedTable unpack(RowPortions& portions, base::Descriptor& memory) {
  SharedTable table{.process = ::getpid(), .header = portions.header()};
  memory = base::Descriptor(::memfd_create("credens table", MFD_CLOEXEC));
  struct stat info {};
  if (!memory.is_open() || ::fstat(memory.number(), &info) != 0) return table;
  std::size_t count = 0;
  for (std::vector<double> values; portions.append(values); values.clear()) {
    if (!write_values(memory, count, values)) return table;
    count += values.size();
  }
  table.is_shared = count > 0;
  table.descriptor = memory.number();
  table.device = info.st_dev;
  table.inode = info.st_ino;
  table.rows = count / table.header.cols();
  table.header.faults = portions.faults();
  return table;
}

/// What every rank gave, by rank, for all of them.
std::string known_to_all(base::Team& team, const std::string& own) {
  std::string all;
  for (const std::string& of_rank : team.gather(own)) base::append_text(all, of_rank);
  return team.broadcast(std::move(all));
}

std::size_t ranks_on_machine(base::Team& team) {
  std::string own;
  base::append_value(own, team.node_leader());
  const std::string all = known_to_all(team, own);
  std::size_t count = 0;
  for (base::ByteReader reader(all); !reader.at_end();) {
    const std::string leader = reader.text();
    if (base::ByteReader(leader).value<std::size_t>() == team.node_leader()) ++count;
  }
  return count;
}

/// Of all machines, by the rank that leads there.
SharedTable table_of_machine(base::Team& team, const std::string& own) {
  const std::string all = known_to_all(team, own);
  base::ByteReader reader(all);
  for (std::size_t rank = 0; rank < team.node_leader(); ++rank) reader.text();
  return decode(reader.text());
}

/// A process may have the number of another where ranks do not see the same ones, and that one's file is not the table.
bool holds(const base::Descriptor& memory, const SharedTable& table) {
  struct stat info {};
  return memory.is_open() && ::fstat(memory.number(), &info) == 0 && info.st_dev == table.device &&
         info.st_ino == table.inode && static_cast<std::size_t>(info.st_size) == table.bytes();
}

/// Null where the memory cannot be opened or there is no room to map it: then each rank reads for itself.
std::unique_ptr<RowPortions> mapped(const SharedTable& table, base::Descriptor& memory) {
  if (!table.is_shared) return nullptr;
  if (!memory.is_open()) {
    const std::string place = fmt::format("/proc/{}/fd/{}", table.process, table.descriptor);
    memory = base::Descriptor(::open(place.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  }
  if (!holds(memory, table)) return nullptr;
  void* const mapping = ::mmap(nullptr, table.bytes(), PROT_READ, MAP_SHARED, memory.number(), 0);
  return mapping == MAP_FAILED ? nullptr : std::make_unique<SharedPortions>(table, mapping);
}

}  // namespace

std::uint64_t most_shared_bytes() {
  return std::min(base::machine_memory(), base::address_space()) / 2;
}

std::unique_ptr<RowPortions> open_shared_table(base::Team& team, const std::filesystem::path& path,
                                               const TableFormat& format, std::uint64_t most_bytes) {
  if (team.is_alone() || path.extension() == ".npy") return open_table(path, format, FileKind::any);
  base::Descriptor memory;
  std::unique_ptr<RowPortions> own;  // of the rank that leads: a pipe cannot be opened twice
  SharedTable table;
  if (ranks_on_machine(team) > 1 && team.rank() == team.node_leader()) {
    own = open_table(path, format, FileKind::any);
    if (own->count_rows() * own->header().cols() * sizeof(double) < most_bytes) table = unpack(*own, memory);
  }
  std::unique_ptr<RowPortions> rows = mapped(table_of_machine(team, encode(table)), memory);
  team.gather({});  // the descriptor has been opened by all who could
  if (rows) return rows;
  if (!own) return open_table(path, format, FileKind::any);
  own->rewind();
  return own;
}

}  // namespace credens::data
