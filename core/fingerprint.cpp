// Two running sums in each of several lanes, which a processor adds up several at once.
#include "fingerprint.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "parallel.hpp"

namespace rankmark {
namespace {

constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
constexpr std::size_t kLanes = 8;

std::uint64_t mixed(std::uint64_t sum, std::uint64_t bits) noexcept {
  sum = (sum ^ bits) * kOdd;
  return sum ^ (sum >> 32);
}

// Few values use their lower bits; where all sums are of multiples of a great power of 2, many agree.
std::uint64_t folded(double value) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return bits ^ (bits >> 32);
}

constexpr std::size_t kPiece = std::size_t{1} << 17;  // values that a thread takes at a time

// Calls `work(piece, first, end)` for all of `size` values.
template <class Work>
void share_out_pieces(std::size_t size, int threads, const Poll& poll, const Work& work) {
  share_out((size + kPiece - 1) / kPiece, threads, poll, [&] {
    return [&](std::uint64_t piece) {
      const std::size_t first = static_cast<std::size_t>(piece) * kPiece;
      work(static_cast<std::size_t>(piece), first, std::min(first + kPiece, size));
    };
  });
}

// 0, but of doubles that are not finite, and of whole numbers for which doubles may have gaps.
std::uint64_t oddity(double value) noexcept { return std::bit_cast<std::uint64_t>(value - value); }
std::uint64_t oddity(std::int64_t value) noexcept {
  constexpr int kDigits = std::numeric_limits<double>::digits;
  return (static_cast<std::uint64_t>(value) + (std::uint64_t{1} << kDigits)) >> (kDigits + 1);
}

bool is_bad(double value, bool finite) noexcept { return finite ? !std::isfinite(value) : std::isnan(value); }
bool is_bad(std::int64_t value, bool) noexcept { return oddity(value) != 0; }

template <class Value>
Fingerprint fingerprint_of_piece(std::span<const Value> values, bool finite) noexcept {
  // The second sum adds up the first as it grows, so that the order counts.
  std::array<std::uint64_t, kLanes> sums{}, in_order{}, special{};
  std::size_t at = 0;
  for (; at + kLanes <= values.size(); at += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const Value value = values[at + lane];
      sums[lane] += folded(static_cast<double>(value));
      in_order[lane] += sums[lane];
      special[lane] |= oddity(value);
    }
  }
  std::uint64_t sum = values.size(), any = 0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    sum = mixed(mixed(sum, sums[lane]), in_order[lane]);
    any |= special[lane];
  }
  for (; at < values.size(); ++at) {
    sum = mixed(sum, folded(static_cast<double>(values[at])));
    any |= oddity(values[at]);
  }
  std::optional<std::size_t> bad;
  for (at = 0; any != 0 && at < values.size(); ++at) {
    if (is_bad(values[at], finite)) {
      bad = at;
      break;
    }
  }
  return {sum, bad};
}

}  // namespace

template <class Value>
Fingerprint fingerprint(std::span<const Value> values, bool finite, int threads, const Poll& poll) {
  std::vector<Fingerprint> pieces((values.size() + kPiece - 1) / kPiece);
  share_out_pieces(values.size(), threads, poll, [&](std::size_t piece, std::size_t first, std::size_t end) {
    pieces[piece] = fingerprint_of_piece(values.subspan(first, end - first), finite);
  });
  Fingerprint all{values.size(), std::nullopt};
  for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
    all.value = mixed(all.value, pieces[piece].value);
    if (pieces[piece].bad && !all.bad) all.bad = piece * kPiece + *pieces[piece].bad;
  }
  return all;
}

template Fingerprint fingerprint(std::span<const double>, bool, int, const Poll&);
template Fingerprint fingerprint(std::span<const std::int64_t>, bool, int, const Poll&);

bool convert(std::span<const std::int64_t> whole, std::span<double> doubles, int threads, const Poll& poll) {
  std::atomic<bool> all_exact{true};
  share_out_pieces(whole.size(), threads, poll, [&](std::size_t, std::size_t first, std::size_t end) {
    std::uint64_t beyond = 0;
    for (std::size_t at = first; at < end; ++at) {
      doubles[at] = static_cast<double>(whole[at]);
      beyond |= oddity(whole[at]);
    }
    if (beyond != 0) all_exact = false;
  });
  return all_exact;
}

}  // namespace rankmark
