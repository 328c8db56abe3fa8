// Runs as Python's own dicts of text ids and floats: the form that most people hold, and the fastest.
#pragma once

#include "convert.hpp"
#include "judgments.hpp"
#include "rankings.hpp"

namespace rankmark {

// Thrown where a run holds anything else; `align_dict` has a way for any mapping then. Subclasses of str and of
// float count as something else, as they may compare as they like.
struct NotPlain {};

// Asks the dicts for the judged documents, whose hashes Python knows already. All of it on the thread that holds
// the interpreter's lock, or on copies where there is no lock, and without Python code but what signals run between two
// queries. `queries` and `documents` are the judgments' ids as str.
nb::tuple align_plain_dicts(const nb::dict& run, const Judgments& judgments, const nb::tuple& queries,
                            const nb::tuple& documents, const RankingOptions& options);

// The rankings of such dicts, whole; likewise.
Rankings rankings_of_plain_dicts(const nb::dict& run, const ListOptions& options);

}  // namespace rankmark
