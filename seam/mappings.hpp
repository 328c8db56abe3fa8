// Mappings, walked as Python keeps them.
#pragma once

#include <optional>

#include "convert.hpp"
#include "judgments.hpp"

namespace rankmark {

// Thrown for what a mapping holds and should not; Python words it. Arguments: query, document or
// None, the object found, what was wanted in its place, the error that its own code raised, or None,
// and what else is wrong with the object.
struct MappingFault {
  nb::object query, document, found;
  const char* wanted;
  nb::object failure = nb::none();
  const char* why = "";
};

// `qrels` is {query: {document: label}} or {query: ids}, whose labels are 1.
nb::tuple qrels_from_dict(const nb::dict& qrels);

// `run` is {query: {document: score}} or {query: ids, best first}; `queries` and `documents` are the
// judgments' ids as str.
nb::tuple align_dict(const nb::dict& run, const Judgments& judgments, const nb::tuple& queries,
                     const nb::tuple& documents, const RankingOptions& ranking);

// The same for dicts of str and float alone; nothing if there is anything else in it.
std::optional<nb::tuple> align_plain_dict(const nb::dict& run, const Judgments& judgments, const nb::tuple& queries,
                                          const nb::tuple& documents, const RankingOptions& ranking);

}  // namespace rankmark
