package main

// remarks says what agrees with the paper, and what does not.
const remarks = `What agrees: WMC needs one round on the correct arbiter at every number of cells, and three on
the buggy one (the paper has two at 47 cells); its diagrams grow linearly, by six nodes
a cell with the one-hot token, where the paper has ten for the buggy arbiter and four for the
correct one. On the buggy arbiter backward model checking takes
as many rounds as WMC, and its diagrams are several times as large, as in the paper; with the
encoded token their sizes at 20 to 45 cells are within a factor of two and a half of the
paper's.

What does not agree: on the correct arbiter neither of our models gives the paper's figures
for backward model checking, at most 8,164 nodes in three or four rounds. With a token in a
variable for each cell the search goes through states with several tokens, takes a round more
than there are cells, and its diagrams grow exponentially, as far as they are given here. With
the encoded token, or where states with several tokens are left out by an invariant, the
property holds in all states, and there is nothing to be searched. The model of the paper must
lie between the two. That its sizes fall at 47 cells, in both tables and for both algorithms,
is not explained there; ours do not fall.
`
