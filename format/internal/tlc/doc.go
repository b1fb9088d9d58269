// Package tlc reads the state graphs that TLC, the model checker of TLA+, writes with -dump
// dot,actionlabels FILE: as labelled transition systems with actions as labels, and the values of
// the variables in a table.
//
// A file is a graph for Graphviz in one layout, a statement a line:
//
//	strict digraph DiskGraph {
//	subgraph cluster_graph {
//	-42 [label="/\\ x = 0\n/\\ y = {}",style = filled]
//	-42 -> 17 [label="Send(1)",color="black",fontcolor="black"];
//	17 [label="/\\ x = 1\n/\\ y = {}",tooltip="/\\ x = 1\n/\\ y = {}"];
//	}
//	}
//
// Nodes are states, by their fingerprints; those that are filled are initial. In quotes, \\ is a
// backslash, \" a quote and \n the end of a line, from left to right. The option colorize adds a
// legend, whose nodes are no states, and stuttering adds edges without labels, which are no steps.
// In spite of the word strict, the file has several edges between two states, one for each action,
// some of them twice. Equal edges are one transition.
//
// Graphs that lack states or steps are refused. The option strict leaves edges out; then some
// states of the remaining edges are not declared. Under a CONSTRAINT, the option constrained adds
// states outside of it, without their steps. Symmetry and VIEW merge states, which no file shows.
//
// The invariant that holds inside: memory is allocated only for content that was read, and no two
// transitions are equal.
package tlc
