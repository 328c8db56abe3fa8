// A temporary file without a name, for what does not fit into memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "fault.hpp"

namespace rankmark {

// The folder of temporary files has no room, or cannot be written to.
class SpillFault : public TextFault {
  using TextFault::TextFault;
};

// It is created at the first write, in the folder that TMPDIR, TEMP or TMP names, else the system's. The system
// removes it when it is closed, however the process ends.
class SpillFile {
 public:
  SpillFile() = default;
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;
  ~SpillFile();

  // Writes at the end, and returns where that was. Throws SpillFault.
  std::uint64_t append(const char* bytes, std::size_t count);
  // Reads what was written at `offset`.
  void read(std::uint64_t offset, char* out, std::size_t count) const;

 private:
  void open();
  [[noreturn]] void refuse(int error) const;

  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::filesystem::path folder_;
};

}  // namespace rankmark
