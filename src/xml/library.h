/* SPDX-License-Identifier: Apache-2.0 */
/* libxml2, loaded when the first XML is read: with what it needs it is larger than many a search. */
#ifndef XML_LIBRARY_H
#define XML_LIBRARY_H

#include "base/library.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xmlerror.h>
#include <libxml/xmlreader.h>

#define LIBXML_FUNCTIONS(X)                                                                                            \
    X(xmlInitParser)                                                                                                   \
    X(xmlSetStructuredErrorFunc)                                                                                       \
    X(xmlSetGenericErrorFunc)                                                                                          \
    X(__xmlStructuredError)                                                                                            \
    X(__xmlStructuredErrorContext)                                                                                     \
    X(__xmlGenericError)                                                                                               \
    X(__xmlGenericErrorContext)                                                                                        \
    X(xmlGetLineNo)                                                                                                    \
    X(xmlReaderForIO)                                                                                                  \
    X(xmlFreeTextReader)                                                                                               \
    X(xmlTextReaderSetStructuredErrorHandler)                                                                          \
    X(xmlTextReaderGetParserLineNumber)                                                                                \
    X(xmlTextReaderCurrentNode)                                                                                        \
    X(xmlTextReaderRead)                                                                                               \
    X(xmlTextReaderNodeType)                                                                                           \
    X(xmlTextReaderDepth)                                                                                              \
    X(xmlTextReaderIsEmptyElement)                                                                                     \
    X(xmlTextReaderConstLocalName)                                                                                     \
    X(xmlTextReaderConstValue)                                                                                         \
    X(xmlTextReaderMoveToAttribute)                                                                                    \
    X(xmlTextReaderMoveToElement)

struct libxml {
    LIBXML_FUNCTIONS(LIBRARY_POINTER)
};
extern struct libxml libxml;

bool libxml_load(struct portolan_error *error);
/* Everything has been read: gives back the memory that libxml2 takes.  No other thread may be reading XML. */
void libxml_unload(void);

#endif
