package progress

import (
	"fmt"
	"strconv"
)

// Format writes an amount of the unit for people to read: bytes with at least two
// digits and a unit of their size, such as 1.5 GB, and everything else with a
// comma before each three digits. Cost O(1).
func (u Unit) Format(n int64) string {
	if u == Bytes {
		return size(n)
	}
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

func size(n int64) string {
	units := [...]string{"bytes", "kB", "MB", "GB", "TB", "PB", "EB"}
	value, unit := float64(n), 0
	for value >= 999.5 {
		value /= 1000
		unit++
	}
	if unit > 0 && value < 9.95 {
		return fmt.Sprintf("%.1f %s", value, units[unit])
	}
	return fmt.Sprintf("%.0f %s", value, units[unit])
}
