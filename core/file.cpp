// Positioned reads, which need no lock: pread, and its counterpart on Windows; and streams.
#include "file.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "byte_stream.hpp"
#include "fault.hpp"

#if defined(_WIN32)
#include <io.h>
#if !defined(NOMINMAX)
#define NOMINMAX
#endif
#include <windows.h>
#else
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace rankmark {
namespace {

// What the operating system said last, worded on any thread.
FileFault last_fault() { return FileFault({std::generic_category().message(errno), "check the file and its disk"}); }

}  // namespace

File::File(int descriptor, std::vector<Extent> extents) : File(descriptor) {
  std::uint64_t start = 0;
  for (const Extent& extent : extents) {
    if (extent.begin > extent.end || extent.end > size_) {
      throw FileFault({"it ended early", "evaluate it when nothing writes to it"});
    }
    starts_.push_back(start);
    start += extent.end - extent.begin;
  }
  extents_ = std::move(extents);
  size_ = start;
}

void File::read_at(std::uint64_t offset, char* out, std::size_t count) const {
  if (extents_.empty()) return read_descriptor(offset, out, count);
  auto at = static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), offset) - starts_.begin()) - 1;
  for (; count > 0; ++at) {
    if (at >= extents_.size()) throw FileFault({"it ended early", "evaluate it when nothing writes to it"});
    const std::uint64_t begin = extents_[at].begin + (offset - starts_[at]);
    const auto here = static_cast<std::size_t>(std::min<std::uint64_t>(count, extents_[at].end - begin));
    read_descriptor(begin, out, here);
    offset += here;
    out += here;
    count -= here;
  }
}

void File::begin() const {
  if (stream_ != nullptr) stream_->begin();
}

std::size_t File::read_some(std::uint64_t offset, char* out, std::size_t count) const {
  if (stream_ != nullptr) return stream_->read(offset, out, count);
  if (offset >= size_) return 0;
  count = static_cast<std::size_t>(std::min<std::uint64_t>(count, size_ - offset));
  read_at(offset, out, count);
  return count;
}

void File::read(std::uint64_t offset, char* out, std::size_t count) const {
  if (stream_ == nullptr) return read_at(offset, out, count);
  if (stream_->read(offset, out, count) < count) {
    throw FileFault({"it ended early", "evaluate it when nothing writes to it"});
  }
}

void File::release(std::uint64_t offset) const {
  if (stream_ != nullptr) stream_->release(offset);
}

void File::stop() const {
  if (stream_ != nullptr) stream_->stop();
}

#if defined(_WIN32)

File::File(int descriptor) : descriptor_(descriptor) {
  const __int64 size = _filelengthi64(descriptor);
  if (size < 0) throw last_fault();
  size_ = static_cast<std::uint64_t>(size);
}

void File::read_descriptor(std::uint64_t offset, char* out, std::size_t count) const {
  const auto handle = reinterpret_cast<HANDLE>(_get_osfhandle(descriptor_));
  while (count > 0) {
    OVERLAPPED place{};
    place.Offset = static_cast<DWORD>(offset & 0xffffffffu);
    place.OffsetHigh = static_cast<DWORD>(offset >> 32);
    DWORD got = 0;
    const DWORD wanted = static_cast<DWORD>(std::min<std::size_t>(count, 1u << 30));
    if (!ReadFile(handle, out, wanted, &got, &place) || got == 0) {
      throw FileFault({"it could not be read to its end", "evaluate it when nothing writes to it"});
    }
    offset += got;
    out += got;
    count -= got;
  }
}

#else

File::File(int descriptor) : descriptor_(descriptor) {
  struct stat status{};
  if (fstat(descriptor, &status) != 0) throw last_fault();
  size_ = static_cast<std::uint64_t>(status.st_size);
}

void File::read_descriptor(std::uint64_t offset, char* out, std::size_t count) const {
  while (count > 0) {
    const ssize_t got =
        pread(descriptor_, out, std::min<std::size_t>(count, std::size_t{1} << 30), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw last_fault();
    if (got == 0) throw FileFault({"it ended early", "evaluate it when nothing writes to it"});
    const auto bytes = static_cast<std::size_t>(got);
    offset += bytes;
    out += bytes;
    count -= bytes;
  }
}

#endif

}  // namespace rankmark
