package main

// remarks returns the text about agreements and differences with the paper.
const remarks = `These results agree with the paper: at every number of cells, WMC needs one round on the correct arbiter, and three on
the buggy one, or four with the held token (the paper has three, and two at 47 cells). Its
diagrams grow linearly. With the held token and up to 45 cells, their sizes are within 13 % of the paper's
on the buggy arbiter, and within 27 % on the correct one. On the buggy arbiter, as in the paper, backward model
checking takes as many rounds as WMC, and its diagrams are several times as large. With the encoded token their
sizes at 20 to 45 cells are within a factor of two and a half of the paper's.

Backward model checking of the correct arbiter shows which model the paper may have used. With
McMillan's one-hot token, which moves on at each step, the search visits states with several tokens
and takes one round more than there are cells; as far as the table goes, its diagrams grow exponentially.
With the encoded token, or with an invariant that excludes states with several tokens, the property
holds in all states, and nothing is left to search. With the held token, two tokens anywhere lead to two
acknowledgements in at most two steps: the search takes three rounds at every number of cells (the paper has three
or four), and its diagrams grow linearly.

These results differ: the paper's diagrams of backward model checking are 1.8 to 11 times as
large as ours with the held token. The paper's diagrams do not always grow with the number of cells: they shrink
from 40 to 45, and all of the paper's figures shrink at 47. The paper does not explain this; its order of
variables may have changed during the runs. Our diagrams never shrink.
`
