// Bytes that one thread produces, by unpacking a file say, while others read them: a window of them is held in memory.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace rankmark {

// The producer failed, and knows why; or the stream was stopped.
class ProducerFault : public std::exception {
 public:
  const char* what() const noexcept override { return "the bytes could not be produced"; }
};

class ByteStream {
 public:
  // `rewind` has the bytes produced anew from the first: it ends the producer there is, calls start, and begins
  // another.
  explicit ByteStream(std::function<void()> rewind) : rewind_(std::move(rewind)) {}

  // For the producer. Adds bytes, once there is room; false if nobody wants them any more.
  bool push(const char* bytes, std::size_t count);
  void finish();
  void fail();

  // For whoever rules both sides: empties it, to be filled from the first byte; ends both sides' waiting.
  void start();
  void stop();

  // For readers. Begins at the first byte, which may still be there.
  void begin();
  // Reads at `offset`, waiting for the bytes; fewer than `count` only at the end. Throws ProducerFault.
  std::size_t read(std::uint64_t offset, char* out, std::size_t count);
  // Nobody reads before `offset` any more.
  void release(std::uint64_t offset);

 private:
  static constexpr std::size_t kMostHeld = std::size_t{8} << 20;
  enum class State { producing, finished, failed, stopped };
  struct Piece {
    std::uint64_t offset;
    std::shared_ptr<const std::string> bytes;

    std::uint64_t end() const noexcept { return offset + bytes->size(); }
  };

  void become(State state);

  const std::function<void()> rewind_;
  std::mutex mutex_;
  std::condition_variable moved_;
  std::deque<Piece> pieces_;
  std::uint64_t begin_ = 0, end_ = 0;  // of what is held
  int waiting_ = 0;                    // readers for whom it does not reach far enough
  State state_ = State::stopped;
};

}  // namespace rankmark
