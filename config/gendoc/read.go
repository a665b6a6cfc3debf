package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strconv"
	"strings"
)

// concern is one struct of variables.
type concern struct {
	name      string // of the field in Config
	about     string // the struct's comment
	variables []variable
}

// variable is one field of such a struct.
type variable struct {
	name         string
	defaultValue string
	form         string
	secret       bool
	required     bool
	about        string // the field's comment
}

// readConcerns reads the structs that Config holds, in its order.
func readConcerns(path string) ([]concern, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("parse the structs: %w", err)
	}
	structs := map[string]*ast.StructType{}
	comments := map[string]string{}
	for _, d := range file.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.TYPE {
			continue
		}
		for _, s := range decl.Specs {
			spec := s.(*ast.TypeSpec)
			if st, ok := spec.Type.(*ast.StructType); ok {
				structs[spec.Name.Name] = st
				comments[spec.Name.Name] = decl.Doc.Text()
			}
		}
	}
	root := structs["Config"]
	if root == nil {
		return nil, errors.New("there is no struct Config")
	}
	var concerns []concern
	for _, f := range root.Fields.List {
		typeName, ok := f.Type.(*ast.Ident)
		if !ok || structs[typeName.Name] == nil || len(f.Names) != 1 || !f.Names[0].IsExported() {
			continue
		}
		variables, err := readVariables(structs[typeName.Name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", typeName.Name, err)
		}
		concerns = append(concerns, concern{
			name:      f.Names[0].Name,
			about:     oneParagraph(comments[typeName.Name]),
			variables: variables,
		})
	}
	return concerns, nil
}

func readVariables(st *ast.StructType) ([]variable, error) {
	var all []variable
	for _, f := range st.Fields.List {
		if f.Tag == nil {
			continue
		}
		quoted, err := strconv.Unquote(f.Tag.Value)
		if err != nil {
			return nil, fmt.Errorf("tag %s: %w", f.Tag.Value, err)
		}
		tag := reflect.StructTag(quoted)
		name, options, _ := strings.Cut(tag.Get("env"), ",")
		v := variable{
			name:         name,
			defaultValue: tag.Get("envDefault"),
			form:         tag.Get("form"),
			secret:       tag.Get("secret") == "true",
			required:     options == "required",
			about:        oneParagraph(f.Doc.Text()),
		}
		if v.name == "" || v.form == "" || v.about == "" {
			return nil, fmt.Errorf("%s lacks its env tag, its form tag or its comment", f.Names[0].Name)
		}
		all = append(all, v)
	}
	return all, nil
}

func oneParagraph(comment string) string { return strings.Join(strings.Fields(comment), " ") }

// synopsis is the first sentence of a comment, without its full stop.
func synopsis(about string) string {
	first, _, _ := strings.Cut(about, ". ")
	return strings.TrimSuffix(first, ".")
}
