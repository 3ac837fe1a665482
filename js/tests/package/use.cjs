// A program that uses `require`.
const { Robots } = require("comity");
const robotsParser = require("comity/robots-parser");

const robots = new Robots("User-agent: *\nDisallow: /private/\n");
const parsed = robotsParser("https://example.com/robots.txt", "User-agent: *\nDisallow: /\n");
console.log(robots.isAllowed("/", "ExampleBot") && parsed.isDisallowed("https://example.com/", "ExampleBot"));
