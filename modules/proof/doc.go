// Package proof holds a checker of certificates that is proved correct in Coq, as README.md
// describes. Its Go code only tests the program, against package certificate/verify.
package proof
