// Buffers given out by size, and taken back.
#include "buffers.hpp"

#include <utility>

namespace rankmark {
namespace {

constexpr std::size_t kUnit = std::size_t{1} << 14;      // bytes, of which every buffer has a multiple
constexpr std::size_t kMostKept = std::size_t{1} << 24;  // bytes of buffers that nobody uses

}  // namespace

std::shared_ptr<char> Buffers::take(std::size_t size) {
  Buffer taken;
  {
    const std::scoped_lock lock(kept_->mutex);
    auto& buffers = kept_->buffers;
    auto best = buffers.end();
    for (auto buffer = buffers.begin(); buffer != buffers.end(); ++buffer) {
      if (buffer->size < size || buffer->size > 4 * (size + kUnit)) continue;
      if (best == buffers.end() || buffer->size < best->size) best = buffer;
    }
    if (best != buffers.end()) {
      taken = std::move(*best);
      kept_->bytes -= taken.size;
      buffers.erase(best);
    }
  }
  if (taken.memory == nullptr) {
    taken.size = (size / kUnit + 1) * kUnit;
    taken.memory.reset(new char[taken.size]);
  }
  char* const memory = taken.memory.get();
  return {memory, [kept = kept_, own = std::make_shared<Buffer>(std::move(taken))](char*) {
            const std::scoped_lock lock(kept->mutex);
            if (kept->bytes + own->size > kMostKept || kept->buffers.size() == kMostBuffers) return;
            kept->bytes += own->size;
            kept->buffers.push_back(std::move(*own));
          }};
}

}  // namespace rankmark
