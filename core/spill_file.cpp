// Temporary files: unlinked as soon as they are open, or on Windows deleted by the system when they are closed.
#include "spill_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "file.hpp"

#if defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#include <share.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#else
#include <fcntl.h>
#include <unistd.h>
#endif

namespace rankmark {
namespace {

constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;

#if defined(_WIN32)

// In letters of any script, which the narrow forms of these functions may not have.
constexpr const wchar_t* kVariables[] = {L"TMPDIR", L"TEMP", L"TMP"};
const wchar_t* value_of(const wchar_t* variable) { return _wgetenv(variable); }

int open_unnamed(const std::filesystem::path& folder) {
  static std::atomic<unsigned> number{0};
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  const std::filesystem::path path = folder / ("rankmark-" + std::to_string(now) + "-" + std::to_string(number++));
  int descriptor = -1;
  _wsopen_s(&descriptor, path.c_str(), _O_CREAT | _O_EXCL | _O_RDWR | _O_BINARY | _O_TEMPORARY | _O_NOINHERIT,
            _SH_DENYRW, _S_IREAD | _S_IWRITE);
  return descriptor;
}

// Writes happen only at the end, so the position stays there; reads do not move it.
std::ptrdiff_t write_at(int descriptor, const char* bytes, std::size_t count, std::uint64_t offset) {
  if (_lseeki64(descriptor, static_cast<__int64>(offset), SEEK_SET) < 0) return -1;
  return _write(descriptor, bytes, static_cast<unsigned>(count));
}

void close_file(int descriptor) { _close(descriptor); }

#else

constexpr const char* kVariables[] = {"TMPDIR", "TEMP", "TMP"};
const char* value_of(const char* variable) { return std::getenv(variable); }

int open_unnamed(const std::filesystem::path& folder) {
#if defined(O_TMPFILE)
  const int unnamed = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (unnamed >= 0) return unnamed;  // not every file system has them
#endif
  std::string path = (folder / "rankmark-XXXXXX").native();
  const int descriptor = mkstemp(path.data());
  if (descriptor >= 0) {
    unlink(path.c_str());
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  }
  return descriptor;
}

std::ptrdiff_t write_at(int descriptor, const char* bytes, std::size_t count, std::uint64_t offset) {
  return pwrite(descriptor, bytes, count, static_cast<off_t>(offset));
}

void close_file(int descriptor) { ::close(descriptor); }

#endif

// The folder in which Python's tempfile would create a file.
std::filesystem::path temporary_folder() {
  std::error_code error;
  for (const auto* const variable : kVariables) {
    const auto* const folder = value_of(variable);
    if (folder != nullptr && std::filesystem::is_directory(folder, error)) return folder;
  }
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  return error ? std::filesystem::path(".") : folder;
}

// As UTF-8, or on POSIX the bytes that it has.
std::string shown(const std::filesystem::path& folder) {
  const std::u8string text = folder.u8string();
  return {text.begin(), text.end()};
}

}  // namespace

SpillFile::~SpillFile() {
  if (descriptor_ >= 0) close_file(descriptor_);
}

void SpillFile::open() {
  folder_ = temporary_folder();
  descriptor_ = open_unnamed(folder_);
  if (descriptor_ < 0) refuse(errno);
}

void SpillFile::refuse(int error) const {
  const std::string reason = std::generic_category().message(error);
  throw SpillFault({"a temporary file in " + shown(folder_) + " cannot be written: " + reason,
                    "make room there, point TMPDIR at another disk, or allow more memory"});
}

std::uint64_t SpillFile::append(const char* bytes, std::size_t count) {
  if (descriptor_ < 0) open();
  const std::uint64_t offset = size_;
  while (count > 0) {
    errno = 0;
    const std::ptrdiff_t written = write_at(descriptor_, bytes, std::min(count, kMostAtOnce), size_);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) refuse(errno == 0 ? ENOSPC : errno);
    bytes += written;
    count -= static_cast<std::size_t>(written);
    size_ += static_cast<std::uint64_t>(written);
  }
  return offset;
}

void SpillFile::read(std::uint64_t offset, char* out, std::size_t count) const {
  File(descriptor_).read(offset, out, count);
}

}  // namespace rankmark
