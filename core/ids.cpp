// The table that numbers ids.
#include "ids.hpp"

#include <bit>
#include <chrono>
#include <exception>
#include <random>

#include "fault.hpp"

namespace rankmark {
namespace {

std::uint64_t drawn(std::uint64_t seed) noexcept {
  std::uint64_t number = seed;
  try {
    std::random_device device;
    for (int part = 0; part < 2; ++part) number = number << 32 ^ device();
  } catch (const std::exception&) {
    number = ~seed;  // there is no device, and what follows has to do
  }
  // The places of memory and the time differ from process to process, too. SplitMix64 mixes them (Steele et al. 2014,
  // "Fast splittable pseudorandom number generators").
  number ^= static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&number));
  number ^= static_cast<std::uint64_t>(std::chrono::high_resolution_clock::now().time_since_epoch().count());
  for (;;) {
    std::uint64_t mixed = number += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    mixed = (mixed ^ mixed >> 31) | 1;
    if (const int ones = std::popcount(mixed); 24 <= ones && ones <= 40) return mixed;
  }
}

}  // namespace

const hashing::Secrets hashing::kSecrets{drawn(1), drawn(2)};

std::uint64_t hash_other_id(std::string_view id) noexcept {
  return hash_bytes(id, [whole = id.size()](const char* p, std::size_t n) {
    using namespace hashing;
    if (whole > 8) return load8(p + n - 8);  // with the bytes before
    const auto byte = [&](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(p[i])}; };
    return (byte(0) | byte(n / 2) << (8 * (n / 2)) | byte(n - 1) << (8 * (n - 1))) << (64 - 8 * n);
  });
}

std::uint64_t hash_long_padded_id(std::string_view id) noexcept {
  return hash_bytes(id, [](const char* p, std::size_t n) { return hashing::load8(p + n - 8); });
}

void IdSpan::refuse() { throw LimitFault({"an id has 16 MiB or more", "give shorter ids"}); }

std::uint32_t IdTable::find(std::string_view id, std::uint64_t hash) const noexcept {
  return slots_.empty() ? kAbsent : slots_.find(hash, holds(id, hash));
}

std::uint32_t IdTable::find_or_add(std::string_view id, std::uint64_t hash) {
  IdSpan::check_length(id.size());
  if (!slots_.has_room(spans_.size() + 1)) grow();
  std::uint32_t& number = slots_.at(hash, holds(id, hash));
  if (number != kAbsent) return number;
  if (size() == kAbsent - 1) throw LimitFault({"more than four thousand million distinct ids", "evaluate it in parts"});
  spans_.emplace_back(bytes_.size(), id.size());
  bytes_.append(id);
  hashes_.push_back(hash);
  return number = size() - 1;
}

void IdTable::grow() {
  slots_.start(2 * spans_.size());
  for (std::uint32_t number = 0; number < size(); ++number) {
    slots_.at(hashes_[number], [](std::uint32_t) { return false; }) = number;
  }
}

}  // namespace rankmark
