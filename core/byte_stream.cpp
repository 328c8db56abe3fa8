// The window between a producer and its readers. Pieces are copied outside the lock: they change no more.
#include "byte_stream.hpp"

#include <utility>
#include <vector>

namespace rankmark {

bool ByteStream::push(const char* bytes, std::size_t count) {
  auto piece = std::make_shared<const std::string>(bytes, count);
  std::unique_lock lock(mutex_);
  moved_.wait(lock, [&] { return state_ == State::stopped || end_ - begin_ < kMostHeld || waiting_ > 0; });
  if (state_ == State::stopped) return false;
  pieces_.push_back({end_, std::move(piece)});
  end_ += count;
  moved_.notify_all();
  return true;
}

void ByteStream::become(State state) {
  const std::scoped_lock lock(mutex_);
  if (state_ != State::stopped) state_ = state;
  moved_.notify_all();
}

void ByteStream::finish() { become(State::finished); }

void ByteStream::fail() { become(State::failed); }

void ByteStream::stop() { become(State::stopped); }

void ByteStream::start() {
  const std::scoped_lock lock(mutex_);
  pieces_.clear();
  begin_ = end_ = 0;
  state_ = State::producing;
}

void ByteStream::begin() {
  {
    const std::scoped_lock lock(mutex_);
    if (begin_ == 0 && state_ != State::stopped) return;
  }
  rewind_();
}

std::size_t ByteStream::read(std::uint64_t offset, char* out, std::size_t count) {
  std::vector<Piece> wanted;
  std::unique_lock lock(mutex_);
  const auto there = [&] { return state_ != State::producing || end_ >= offset + count; };
  if (!there()) {
    ++waiting_;
    moved_.notify_all();
    moved_.wait(lock, there);
    --waiting_;
  }
  if (state_ == State::stopped || (state_ == State::failed && end_ < offset + count)) throw ProducerFault();
  for (const Piece& piece : pieces_) {
    if (piece.end() > offset && piece.offset < offset + count) wanted.push_back(piece);
  }
  lock.unlock();
  std::size_t done = 0;
  for (const Piece& piece : wanted) {
    const auto skip = static_cast<std::size_t>(offset + done - piece.offset);
    done += piece.bytes->copy(out + done, count - done, skip);
  }
  return done;
}

void ByteStream::release(std::uint64_t offset) {
  std::deque<Piece> gone;  // freed outside the lock
  const std::scoped_lock lock(mutex_);
  while (!pieces_.empty() && pieces_.front().end() <= offset) {
    begin_ = pieces_.front().end();
    gone.push_back(std::move(pieces_.front()));
    pieces_.pop_front();
  }
  if (!gone.empty()) moved_.notify_all();
}

}  // namespace rankmark
