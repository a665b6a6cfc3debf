package config

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Variable is one variable with what it is set to.
type Variable struct {
	Name     string
	Value    string // effective, secrets masked; "" if it is not set and has no default
	Set      bool   // false: Value is the default
	Synopsis string // first sentence of its manual
	Default  string // "" if it has none
	Form     string // what a value looks like
	Section  string // concern it belongs to
}

// Variables lists every variable in the order of the manual. The zero Config gives the defaults.
func (c Config) Variables() []Variable {
	var all []Variable
	for _, f := range fields() {
		s, read := c.settings[f.name]
		if !read {
			s.value = f.defaultValue
		}
		all = append(all, Variable{
			Name:     f.name,
			Value:    f.show(s.value),
			Set:      s.set,
			Synopsis: synopses[f.name],
			Default:  f.defaultValue,
			Form:     f.form,
			Section:  f.section,
		})
	}
	return all
}

// Print writes every variable, where its value comes from, and the value.
func (c Config) Print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, v := range c.Variables() {
		source, value := "default", v.Value
		if v.Set {
			source = "set"
		}
		if value == "" {
			source, value = "unset", "-"
		}
		if _, err := fmt.Fprintf(table, "%s\t%s\t%s\n", v.Name, source, value); err != nil {
			return fmt.Errorf("print the configuration: %w", err)
		}
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("print the configuration: %w", err)
	}
	return nil
}
