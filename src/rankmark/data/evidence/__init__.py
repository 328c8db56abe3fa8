"""What the values of judgments and runs say about what they are, and how sure that is.

Every rule looks at all values, and knows how likely chance would look the same. From 1 in 10^6
on, what was found is refused; what is less sure is a warning. Every refusal names the option by
which the caller says that the values were meant.

| found | by what | does |
|---|---|---|
| distances as scores | lists rise, or ranks contradict all scores | refused |
| scores or ranks as labels | labels fall, or count up, in the lists | refused |
| swapped arguments | labels hardly repeat, scores are a few small grades | refused |
| time stamps as labels | all lie between 1990 and 2100 | refused |
| lists written as text | brackets, or pieces that are ids of the other side | refused |
| ids written in two ways | more match once case, accents or endings are alike | warned |
"""
