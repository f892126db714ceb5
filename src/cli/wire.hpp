// SPDX-License-Identifier: Apache-2.0
//
// What carries messages between the ranks of a team.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace credens::cli {

/// Who waits on one does not take what is for the other.
enum class Channel { control, data };

struct Message {
  std::size_t from = 0;
  std::string bytes;
};

/// May be used by several threads, but each channel by one at a time. Throws failure where the wire is broken.
class Wire {
 public:
  Wire() = default;
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  virtual ~Wire() = default;

  virtual std::size_t rank() const = 0;
  virtual std::size_t size() const = 0;
  virtual std::size_t node_leader() const = 0;  ///< the first rank on this machine

  virtual void send(std::size_t to, Channel channel, std::string_view bytes) = 0;  ///< never waits; in order
  virtual bool receive(Channel channel, Message& message) = 0;                     ///< false: nothing has come
  virtual void close() = 0;            ///< waits for all ranks to close, for a while
  virtual void abort(int status) = 0;  ///< ends this process and whatever other rank can be reached
};

}  // namespace credens::cli
