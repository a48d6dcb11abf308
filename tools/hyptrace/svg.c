// SPDX-License-Identifier: GPL-2.0-only
/*
 * All pictures begin, end and print texts alike.
 */

#include "svg.h"
#include "text.h"

/**
 * svg_option() - end the program if a file's name does not say that it is a picture
 * @state:	the parser's state
 * @option:	the option
 * @path:	the name
 */
void svg_option(struct argp_state *state, const char *option, const char *path)
{
	if (!ends_in(path, ".svg"))
		argp_error(state, "%s %s: the name must end in .svg", option, path);
}

/**
 * svg_begin() - begin a picture
 * @file:	where to
 * @width:	its width
 * @height:	its height
 */
void svg_begin(FILE *file, int width, int height)
{
	fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
		width, height);
}

/**
 * svg_end() - end a picture
 * @file:	where to
 */
void svg_end(FILE *file)
{
	fprintf(file, "</svg>\n");
}

/**
 * svg_print() - print a text
 * @file:	where to
 * @text:	the text, which has no control characters
 * @length:	how much of it at most [bytes]
 */
void svg_print(FILE *file, const char *text, size_t length)
{
	for (; *text && length--; text++) {
		switch (*text) {
		case '<':
			fputs("&lt;", file);
			break;
		case '>':
			fputs("&gt;", file);
			break;
		case '&':
			fputs("&amp;", file);
			break;
		default:
			fputc(*text, file);
			break;
		}
	}
}
