// A regular file that is read at given places, by several threads at once.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rankmark {

// Borrows a descriptor that Python opened for binary reading; never closes it.
class File {
 public:
  explicit File(int descriptor);

  std::uint64_t size() const noexcept { return size_; }

  // Reads `count` bytes at `offset`; throws FileFault where the file ends before that.
  void read(std::uint64_t offset, char* out, std::size_t count) const;

 private:
  int descriptor_;
  std::uint64_t size_ = 0;
};

}  // namespace rankmark
