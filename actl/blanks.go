package actl

import "strings"

// isBlank reports whether c separates tokens of a formula. Blanks beyond ASCII are
// ordinary characters of labels.
func isBlank(c byte) bool {
	return c == ' ' || '\t' <= c && c <= '\r'
}

// loose returns undelimited text in the layout in which it is printed: nothing
// around it, one blank for a line break with what surrounds it, and at most one
// blank after a comma.
func loose(text string) string {
	text = strings.Trim(text, " \t\n\v\f\r")
	var b strings.Builder
	for i := 0; i < len(text); {
		if !isBlank(text[i]) {
			b.WriteByte(text[i])
			i++
			continue
		}
		from := i
		for isBlank(text[i]) {
			i++
		}
		run := text[from:i]
		if text[from-1] == ',' || strings.Trim(run, " ") != "" {
			run = " "
		}
		b.WriteString(run)
	}
	return b.String()
}

// tight returns text without the blanks around it and after its commas: equal for
// two labels that differ in nothing else. It does not allocate where there are
// none.
func tight(text string) string {
	text = strings.Trim(text, " \t")
	if !strings.Contains(text, ", ") && !strings.Contains(text, ",\t") {
		return text
	}
	var b strings.Builder
	afterComma := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		if afterComma && (c == ' ' || c == '\t') {
			continue
		}
		afterComma = c == ','
		b.WriteByte(c)
	}
	return b.String()
}
