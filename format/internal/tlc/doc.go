// Package tlc reads the state graphs that TLC, the model checker of TLA+, writes with
// -dump dot,actionlabels FILE: as labelled transition systems, actions as labels, with the
// values of the variables beside them.
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
// Nodes are states, by their fingerprints; those that are filled are initial. In quotes,
// \\ is a backslash, \" a quote and \n the end of a line, from left to right. The option
// colorize adds a legend, whose nodes are no states, and stuttering adds edges without
// labels, which are no steps. In spite of the word strict, edges with several actions
// between two states are all there, some of them twice: equal ones are one transition.
//
// Some graphs are not what a property is to be checked on, and are refused. The option
// strict leaves edges out, which shows where states are used that are nowhere declared.
// Under a CONSTRAINT, the option constrained adds states outside of it, without their
// steps. Symmetry and VIEW make one state of several, and nothing in a file shows it.
//
// The invariant that holds inside: memory is taken for what has been read, and an edge
// between two states with an action is there once.
package tlc
