// Memory that is used again: large pieces that are new cost more to get, page by page, than to fill.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace rankmark {

class Buffers {
 public:
  Buffers() : kept_(std::make_shared<Kept>()) {}

  // At least so many bytes, whatever they hold. They are kept for others when they are let go, on whatever thread.
  std::shared_ptr<char> take(std::size_t size);

 private:
  struct Buffer {
    std::unique_ptr<char[]> memory;
    std::size_t size = 0;
  };
  static constexpr std::size_t kMostBuffers = 32;
  struct Kept {
    Kept() { buffers.reserve(kMostBuffers); }

    std::mutex mutex;
    std::vector<Buffer> buffers;  // that nobody uses
    std::size_t bytes = 0;        // of these
  };

  std::shared_ptr<Kept> kept_;
};

}  // namespace rankmark
