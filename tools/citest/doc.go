// Package citest has only tests: of the workflows in docs/ci that projects copy, of the claims of
// docs/ci.md about them, and of how inev is released and put into a container. Every command in a
// document that people should run is run here, with the inev of the working copy instead of a
// released one, and with stand-ins for the services of a code host.
package citest
