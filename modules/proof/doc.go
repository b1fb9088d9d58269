// Package proof has a checker of certificates that is proved correct in Coq, as README.md
// describes. Its Go code only tests this program, by comparing it with package internal/certificate/verify.
package proof
