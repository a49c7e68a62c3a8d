package proof

// Comment writes a remark of one line; nothing in DRAT.
func (l *Logger) Comment(text string) {
	if l.options.Format == DRAT {
		return
	}
	if l.options.Format == VeriPB30 {
		l.text("% ")
	} else {
		l.text("* ")
	}
	for i := range len(text) {
		if c := text[i]; c == '\n' || c == '\r' {
			l.buf = append(l.buf, ' ')
		} else {
			l.buf = append(l.buf, c)
		}
	}
	l.end()
}
