package resources

import "testing"

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "17b": 17, "6GB": 6e9, "500MB": 500e6, "500 MB": 500e6, "1.5GiB": 3 << 29, "2k": 2000, "3Mib": 3 << 20, "1TB": 1e12,
		"": 0, "GB": 0, "-1GB": 0, "1EB": 0, "1 GB 2": 0, "inf": 0, "0.5": 0, "1e30": 0, "none": 0,
	} {
		if got, err := ParseSize(text); got != want || (err == nil) != (want > 0) {
			t.Errorf("ParseSize(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
}
