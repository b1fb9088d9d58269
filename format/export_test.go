package format

var Formats = formats
