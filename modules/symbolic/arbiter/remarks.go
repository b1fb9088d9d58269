package main

// remarks returns the text about agreements and differences with the paper.
const remarks = `What agrees: WMC needs one round on the correct arbiter at every number of cells, and three on
the buggy one, four where the token is held (the paper has three, and two at 47 cells); its
diagrams grow linearly. With the held token they are, up to 45 cells, within 13 % of the paper's
on the buggy arbiter, and within 27 % on the correct one. On the buggy arbiter backward model checking takes as many rounds as WMC, and its diagrams are several times
as large, as in the paper; with the encoded token their sizes at 20 to 45 cells are within a
factor of two and a half of the paper's.

On the correct arbiter backward model checking tells which model the paper can have had. With a
one-hot token that goes on at each step, as McMillan has it, the search goes through states with
several tokens, takes a round more than there are cells, and its diagrams grow exponentially, as
far as they are given here. With the encoded token, or where states with several tokens are left
out by an invariant, the property holds in all states, and there is nothing to be searched. With
a token that stays where its cell requests, two tokens anywhere lead to two acknowledgements in
at most two steps: the search takes three rounds at every number of cells, where the paper has three or four, and
its diagrams grow linearly.

What does not agree: the paper's diagrams of backward model checking are 1.8 to 11 times as
large as ours with the held token, and they do not grow with every number of cells: they fall
from 40 to 45, and all of its figures fall at 47. That could be an order of variables that was
changed on the way. It is not explained there; ours do not fall.
`
