// Bytes of a file at given places, read by several threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace rankmark {

class ByteStream;

// Bytes of a file from `begin` on, before `end`.
struct Extent {
  std::uint64_t begin, end;
};

// A regular file, whose descriptor Python opened for binary reading and closes; or a stream, which is read about in
// order, and as often as wanted.
class File {
 public:
  explicit File(int descriptor);
  // Some extents of a regular file, one behind the other, as if they were all of it.
  File(int descriptor, std::vector<Extent> extents);
  explicit File(ByteStream& stream) : stream_(&stream), size_(std::numeric_limits<std::uint64_t>::max()) {}

  // That of a stream is not known: the greatest number.
  std::uint64_t size() const noexcept { return size_; }

  // Reading begins at the first byte.
  void begin() const;
  // Reads `count` bytes at `offset`, fewer only at the end. Throws FileFault, or ProducerFault.
  std::size_t read_some(std::uint64_t offset, char* out, std::size_t count) const;
  // The same, and throws FileFault if there are fewer.
  void read(std::uint64_t offset, char* out, std::size_t count) const;
  // Nothing before `offset` is read until reading begins again.
  void release(std::uint64_t offset) const;
  // Nobody reads any more; those who wait throw.
  void stop() const;

 private:
  void read_at(std::uint64_t offset, char* out, std::size_t count) const;
  void read_descriptor(std::uint64_t offset, char* out, std::size_t count) const;

  ByteStream* stream_ = nullptr;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::vector<Extent> extents_;        // none where the whole file is read
  std::vector<std::uint64_t> starts_;  // of the extents among the bytes that are read
};

}  // namespace rankmark
