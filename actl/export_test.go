package actl

var Parts = partsOf
