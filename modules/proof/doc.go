// Package proof holds a checker of certificates that is proved correct in Coq; README.md tells
// of it. Its Go code only tests the program, against package certificate/verify.
package proof
