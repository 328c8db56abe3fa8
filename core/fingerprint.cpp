// Two running sums in each of several lanes, which a processor adds up several at once.
#include "fingerprint.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>

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

}  // namespace

Fingerprint fingerprint(std::span<const double> values, bool finite) noexcept {
  // The second sum adds up the first as it grows, so that the order counts.
  std::array<std::uint64_t, kLanes> sums{}, in_order{}, special{};
  std::size_t at = 0;
  for (; at + kLanes <= values.size(); at += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double value = values[at + lane];
      sums[lane] += folded(value);
      in_order[lane] += sums[lane];
      special[lane] |= std::bit_cast<std::uint64_t>(value - value);  // 0, but of what is not finite
    }
  }
  std::uint64_t sum = values.size(), any = 0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    sum = mixed(mixed(sum, sums[lane]), in_order[lane]);
    any |= special[lane];
  }
  for (; at < values.size(); ++at) {
    sum = mixed(sum, folded(values[at]));
    any |= std::bit_cast<std::uint64_t>(values[at] - values[at]);
  }
  std::optional<std::size_t> bad;
  for (at = 0; any != 0 && at < values.size(); ++at) {
    if (finite ? !std::isfinite(values[at]) : std::isnan(values[at])) {
      bad = at;
      break;
    }
  }
  return {sum, bad};
}

}  // namespace rankmark
