"use strict";
// Colours of classes: those of every picture, and of the terminal.

const classColour = (c) => DATA.colours[c];

// The class that a rule speaks for, or else against.
const classOfRule = (rule) => rule.named ?? rule.class;
