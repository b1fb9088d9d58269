package cli

import (
	"flag"
	"slices"
)

// Flag is a flag of a command.
type Flag interface {
	Apply(*flag.FlagSet) error
	Names() []string
	String() string
}

// DocGenerationFlag is a flag that reports whether it takes a value.
type DocGenerationFlag interface {
	Flag
	TakesValue() bool
}

// VisibleFlag is a flag that reports whether it is documented.
type VisibleFlag interface {
	Flag
	IsVisible() bool
}

// CategorizableFlag is a flag in a group.
type CategorizableFlag interface {
	Flag
	GetCategory() string
}

// BoolFlag is a flag without a value.
type BoolFlag struct {
	Name, Category, Usage string
	Aliases               []string
	DisableDefaultText    bool
	Hidden                bool
	Value                 bool
}

// Names returns the name and its aliases.
func (f *BoolFlag) Names() []string { return append([]string{f.Name}, f.Aliases...) }

// String returns the name.
func (f *BoolFlag) String() string { return "--" + f.Name + "\t" + f.Usage }

// TakesValue returns false.
func (f *BoolFlag) TakesValue() bool { return false }

// IsVisible reports whether the flag is documented.
func (f *BoolFlag) IsVisible() bool { return !f.Hidden }

// GetCategory returns the group.
func (f *BoolFlag) GetCategory() string { return f.Category }

// StringFlag is a flag with a value.
type StringFlag struct {
	Name, Category, Usage, Value, DefaultText string
	Hidden                                    bool
}

// Names returns the name.
func (f *StringFlag) Names() []string { return []string{f.Name} }

// String returns the name.
func (f *StringFlag) String() string { return "--" + f.Name + "\t" + f.Usage }

// TakesValue returns true.
func (f *StringFlag) TakesValue() bool { return true }

// IsVisible reports whether the flag is documented.
func (f *StringFlag) IsVisible() bool { return !f.Hidden }

// GetCategory returns the group.
func (f *StringFlag) GetCategory() string { return f.Category }

// StringSliceFlag is a flag that may be repeated.
type StringSliceFlag struct {
	Name, Category, Usage, DefaultText string
	Value                              *StringSlice
	Hidden                             bool
}

// StringSlice has the values of a flag that may be repeated.
type StringSlice struct{ values []string }

// NewStringSlice returns a StringSlice with these values.
func NewStringSlice(values ...string) *StringSlice { return &StringSlice{values} }

// Names returns the name.
func (f *StringSliceFlag) Names() []string { return []string{f.Name} }

// String returns the name.
func (f *StringSliceFlag) String() string { return "--" + f.Name + "\t" + f.Usage }

// TakesValue returns true.
func (f *StringSliceFlag) TakesValue() bool { return true }

// IsVisible reports whether the flag is documented.
func (f *StringSliceFlag) IsVisible() bool { return !f.Hidden }

// GetCategory returns the group.
func (f *StringSliceFlag) GetCategory() string { return f.Category }

// preset returns the values that the flag has if it is not given.
func (f *StringSliceFlag) preset() []string {
	if f.Value == nil {
		return nil
	}
	return slices.Clone(f.Value.values)
}

// Apply does nothing: this package reads the command line by the names of the flags.
func (f *BoolFlag) Apply(*flag.FlagSet) error { return nil }

// Apply does nothing: this package reads the command line by the names of the flags.
func (f *StringFlag) Apply(set *flag.FlagSet) error {
	set.String(f.Name, f.Value, f.Usage)
	return nil
}

// Apply does nothing: this package reads the command line by the names of the flags.
func (f *StringSliceFlag) Apply(*flag.FlagSet) error { return nil }
