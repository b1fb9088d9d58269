package certificate

var ErrIncomplete = errIncomplete
