// Package autx reads and writes CLEAR's .autx format: a labelled transition
// system in which every transition has a colour, its class, and every
// neighbourhood its kind (CLEAR: github.com/gbarbon/clear, the tool of SEFM'18).
//
// A file is a header line and one line a transition:
//
//	des (initial, transitions, states)
//	(from, "label":COLOUR, to)
//	(from:N:KIND, "label":COLOUR, to)
//
// The second form is for the transitions that leave a neighbourhood. COLOUR is
// GREEN (correct), RED (incorrect), BLACK (neutral) or UNSET. KIND names the
// colours of the transitions that leave the neighbourhood: G, R, GR, GRB, or U
// where that is unknown. Lines are sorted by source and target. Nothing is
// escaped: the label reaches to the last quote of the line.
//
// State numbers may be sparse, and larger than the number of states that the
// header declares, because CLEAR cuts off what it does not show and keeps the
// numbers of the rest. Where it looks for safety violations, the target -1 stands
// for all that was cut off as correct.
//
// The invariant that holds inside: a [Model] has a colour for every transition of
// its LTS, in the order of [lts.LTS.Transitions], and kinds for states of it.
package autx
