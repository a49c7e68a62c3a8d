package command

import (
	"fmt"
	"strings"

	"github.com/fdplan/fdplan/internal/app/bind"
)

// offer is the set of completions of a value.
type offer struct {
	words []string // the values there are
	files bool
	dirs  bool
}

// offered returns the completions of a flag or an argument, based on its help text.
func offered(o *bind.Option, problems []string) offer {
	placeholder := o.Tag.Get("placeholder")
	switch {
	case o.Enum != nil:
		return offer{words: o.Enum}
	case isBool(o):
		return offer{}
	case o.Flag == "problem" || placeholder == "PROBLEM":
		return offer{words: problems, files: true} // task files
	case placeholder == "DIR" || o.Tag.Get("type") == "existingdir":
		return offer{dirs: true}
	case placeholder == "FILE" || placeholder == "DATA" || placeholder == "NETWORK" || strings.HasSuffix(placeholder, ".rddl"):
		return offer{files: true}
	}
	return offer{}
}

// offered returns the completions of a command's arguments, which are the same for all.
func (e entry) offered(problems []string) offer {
	all := offer{}
	for _, p := range e.arguments() {
		o := offered(p, problems)
		if e.name == "help" {
			o.words = commandNames()
		} else if p.Enum == nil {
			o.files = true // any argument may be a file
		}
		all.words, all.files = append(all.words, o.words...), all.files || o.files
	}
	return all
}

func commandNames() []string {
	var names []string
	for _, e := range visible() {
		names = append(names, e.name)
	}
	return names
}

// spellings returns the ways to write a flag.
func spellings(o *bind.Option) []string {
	out := []string{"--" + o.Flag}
	if o.Short != "" {
		out = append(out, "-"+o.Short)
	}
	if o.Negatable {
		out = append(out, "--no-"+o.Flag)
	}
	return out
}

// bashCompletion is a script for bash, from version 4 on.
func bashCompletion(problems []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# bash completion for %[1]s; source it, or put it into bash_completion.d.
_%[1]s() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words= files= flags=
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "%[2]s" -- "$cur")
        return
    fi
    case "${COMP_WORDS[1]} $prev" in
`, "fdplan", strings.Join(commandNames(), " "))
	for _, e := range visible() {
		for _, f := range e.flags() {
			if isBool(f) {
				continue
			}
			var cases []string
			for _, s := range spellings(f) {
				cases = append(cases, fmt.Sprintf(`"%s %s"`, e.name, s))
			}
			o := offered(f, problems)
			action := ""
			if o.files {
				action = " files=-f"
			} else if o.dirs {
				action = " files=-d"
			}
			fmt.Fprintf(&b, "    %s) words=%s%s ;;\n", strings.Join(cases, "|"), quote(strings.Join(o.words, " ")), action)
		}
	}
	b.WriteString("    *)\n        case \"${COMP_WORDS[1]}\" in\n")
	for _, e := range visible() {
		var flags []string
		for _, f := range e.flags() {
			flags = append(flags, spellings(f)...)
		}
		o := e.offered(problems)
		files := ""
		if o.files {
			files = " files=-f"
		}
		fmt.Fprintf(&b, "        %s) flags=%s words=%s%s ;;\n", e.name, quote(strings.Join(flags, " ")), quote(strings.Join(o.words, " ")), files)
	}
	fmt.Fprintf(&b, `        esac
        case "$cur" in -*) words=$flags files= ;; esac ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur"; [ -n "$files" ] && compgen "$files" -- "$cur")
}
complete -F _%[1]s %[1]s
`, "fdplan")
	return b.String()
}

// quote makes text one word of any of the shells.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// zshCompletion is a function file for zsh.
func zshCompletion(problems []string) string {
	var b strings.Builder
	// In an argument of _arguments these have a meaning.
	plain := strings.NewReplacer(":", `\:`, "[", `\[`, "]", `\]`)
	fmt.Fprintf(&b, "#compdef %[1]s\n# zsh completion for %[1]s; put it into a folder of $fpath as _%[1]s.\nlocal -a commands\ncommands=(\n", "fdplan")
	for _, e := range visible() {
		fmt.Fprintf(&b, "    %s\n", quote(e.name+":"+e.help))
	}
	b.WriteString(")\nif (( CURRENT == 2 )); then\n    _describe command commands\n    return\nfi\nshift words\n(( CURRENT-- ))\ncase $words[1] in\n")
	action := func(o offer) string {
		switch {
		case len(o.words) > 0 && o.files:
			return `{ compadd -- ` + strings.Join(o.words, " ") + `; _files }`
		case len(o.words) > 0:
			return "(" + strings.Join(o.words, " ") + ")"
		case o.files:
			return "_files"
		case o.dirs:
			return "_files -/"
		}
		return " "
	}
	for _, e := range visible() {
		fmt.Fprintf(&b, "%s)\n    _arguments", e.name)
		for _, f := range e.flags() {
			for _, s := range spellings(f) {
				spec := s
				if !isBool(f) {
					if strings.HasPrefix(s, "--") {
						spec += "="
					}
				}
				if isList(f) {
					spec = "*" + spec
				}
				spec += "[" + plain.Replace(f.Help) + "]"
				if !isBool(f) {
					spec += ":" + plain.Replace(f.Flag) + ":" + action(offered(f, problems))
				}
				fmt.Fprintf(&b, " \\\n        %s", quote(spec))
			}
		}
		if o := e.offered(problems); len(e.arguments()) > 0 {
			fmt.Fprintf(&b, " \\\n        %s", quote("*:argument:"+action(o)))
		}
		b.WriteString("\n    ;;\n")
	}
	b.WriteString("esac\n")
	return b.String()
}

// fishCompletion is a file for fish's completions folder.
func fishCompletion(problems []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# fish completion for %[1]s.\ncomplete -c %[1]s -f\n", "fdplan")
	for _, e := range visible() {
		fmt.Fprintf(&b, "complete -c %s -n __fish_use_subcommand -a %s -d %s\n", "fdplan", e.name, fishQuote(e.help))
	}
	for _, e := range visible() {
		where := fmt.Sprintf("complete -c %s -n %s", "fdplan", fishQuote("__fish_seen_subcommand_from "+e.name))
		if o := e.offered(problems); len(e.arguments()) > 0 {
			if o.files {
				fmt.Fprintf(&b, "%s -F\n", where)
			}
			if len(o.words) > 0 {
				fmt.Fprintf(&b, "%s -a %s\n", where, fishQuote(strings.Join(o.words, " ")))
			}
		}
		for _, f := range e.flags() {
			text := where + " -l " + f.Flag
			if f.Short != "" {
				text += " -s " + f.Short
			}
			text += " -d " + fishQuote(f.Help)
			o := offered(f, problems)
			switch {
			case isBool(f):
			case o.files:
				text += " -rF"
			case o.dirs:
				text += " -xa '(__fish_complete_directories)'"
			default:
				text += " -x"
			}
			if len(o.words) > 0 && !isBool(f) {
				text += " -a " + fishQuote(strings.Join(o.words, " "))
			}
			b.WriteString(text + "\n")
			if f.Negatable {
				fmt.Fprintf(&b, "%s -l no-%s\n", where, f.Flag)
			}
		}
	}
	return b.String()
}

// fishQuote makes text one word of fish, where a backslash counts inside quotes.
func fishQuote(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}
