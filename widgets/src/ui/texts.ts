// Every text that a person reads. English stands here, each further language in a file of its own; whatever is missing
// there does not compile.

import type { Reason } from "../data/failure.ts";
import { german } from "./texts.de.ts";
import { japanese } from "./texts.ja.ts";
import { dutch } from "./texts.nl.ts";

export interface Texts {
  /** BCP 47, of these texts. */
  readonly language: string;
  readonly map: string;
  readonly waiting: string;
  readonly preparing: string;
  readonly drawing: string;
  readonly drawn: (summary: string) => string;
  readonly hidden: string;
  readonly empty: string;
  /** What happened, and what to make of it. */
  readonly failures: Readonly<Record<Reason, { readonly title: string; readonly text: string }>>;
  readonly fitted: (distance: string) => string;
  readonly noTiles: string;
  readonly zoomIn: string;
  readonly zoomOut: string;
  readonly fullscreen: string;
  readonly leaveFullscreen: string;
  readonly close: string;
  readonly details: string;
  /** How to use the map without a pointer. */
  readonly mapHelp: string;
  readonly list: string;
  readonly again: string;
  readonly about: string;
  readonly tilesBy: (owners: string) => string;
  readonly outlinesBy: (owner: string) => string;
  readonly software: string;
  readonly moreRows: (count: string) => string;

  readonly route: string;
  readonly fastestRoute: string;
  readonly alternative: (number: number) => string;
  readonly start: string;
  readonly stop: string;
  readonly end: string;
  readonly delay: (duration: string) => string;
  readonly charging: (duration: string) => string;
  readonly chargeTo: (percent: string) => string;
  readonly chargingStop: string;
  readonly traffic: string;
  readonly delayMinor: string;
  readonly delayModerate: string;
  readonly delayMajor: string;
  readonly delayUnknown: string;
  readonly toll: string;
  readonly ferry: string;
  readonly tunnel: string;
  readonly border: (from: string, to: string) => string;
  readonly borderPlain: string;
  readonly place: string;
  readonly area: string;
  readonly searchedArea: string;
  readonly reachable: string;
  readonly away: (distance: string) => string;
  readonly incidents: (count: number, written: string) => string;
  readonly fromTo: (from: string, to: string) => string;

  /** Headings of the card's folded lists. */
  readonly onTheWay: string;
  readonly directions: string;
  readonly after: (distance: string) => string;
  readonly turns: Readonly<Record<Turn, string>>;
  readonly operator: string;
  readonly power: string;
  readonly chargingTime: string;
  readonly chargeTarget: string;
  readonly arrivalCharge: string;
  readonly phone: string;
  readonly address: string;
  readonly openingHours: string;
  readonly openAlways: string;
  readonly website: string;
  /** The button that asks the agent about what is picked, what it asks, and what became of that. */
  readonly ask: string;
  readonly askText: (name: string) => string;
  readonly asked: string;
  readonly notAsked: string;
  readonly connectors: string;
  readonly free: (free: string, total: string) => string;
  readonly placesHere: (count: string) => string;
  readonly areaSize: (size: string) => string;
  readonly few: string;
  readonly many: string;
  /** A caller's own data, feature by feature. */
  readonly entries: string;
  readonly sizeBy: (property: string) => string;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly length: string;
  readonly averageSpeed: string;
  /** By the service's icon category: accident, fog, … */
  readonly incidentKinds: Readonly<Record<IncidentKind, string>>;
}

/** What a driver does at a turn. */
export type Turn =
  | "depart"
  | "arrive"
  | "waypoint"
  | "straight"
  | "left"
  | "right"
  | "keepLeft"
  | "keepRight"
  | "roundabout"
  | "motorway"
  | "exit"
  | "uturn"
  | "ferry";

export type IncidentKind =
  | "other"
  | "accident"
  | "weather"
  | "jam"
  | "laneClosed"
  | "closed"
  | "roadworks"
  | "flooding"
  | "breakdown";

const answerStands = "The answer in the conversation is not affected.";

const english: Texts = {
  language: "en",
  map: "Map",
  waiting: "Waiting for the result…",
  preparing: "The request is being written…",
  drawing: "Drawing the map…",
  drawn: (summary) => (summary === "" ? "Map drawn." : `Map drawn. ${summary}`),
  hidden: "No map was asked for with this answer.",
  empty: "Nothing was found that a map could show.",
  failures: {
    tool_error: { title: "The request failed", text: "There is no result to draw. The answer says why." },
    cancelled: { title: "Cancelled", text: "The request was stopped before it had a result." },
    data_missing: {
      title: "The map's data did not arrive",
      text: `This application passed the answer on without the data that the map is drawn from. ${answerStands}`,
    },
    too_large: {
      title: "Too large for a map here",
      text: `The result is too long to be sent to the map, even simplified. ${answerStands}`,
    },
    unavailable: {
      title: "The map's data is no longer there",
      text: `The server could not supply what the map is drawn from. ${answerStands}`,
    },
    bad_data: {
      title: "The map's data cannot be read",
      text: `It arrived damaged or in an unknown form. ${answerStands}`,
    },
    fetch_failed: {
      title: "The map's data could not be fetched",
      text: `The server did not deliver it, or this application did not allow the request. ${answerStands}`,
    },
    no_result: { title: "No result arrived", text: "The map has waited for a minute." },
    no_live_traffic: {
      title: "Live traffic cannot be reached",
      text: `The map of incidents is drawn live and needs a connection to the traffic service. ${answerStands}`,
    },
    draw_failed: { title: "The map could not be drawn", text: answerStands },
  },
  fitted: (distance) => `Drawn within ${distance} of the route`,
  noTiles: "Detailed map not available: simple outlines shown",
  zoomIn: "Zoom in",
  zoomOut: "Zoom out",
  fullscreen: "Full screen",
  leaveFullscreen: "Leave full screen",
  close: "Close",
  details: "Details",
  mapHelp: "Arrow keys move the map, plus and minus zoom. What is on it is listed after it.",
  list: "On this map",
  again: "Try again",
  about: "About this map",
  tilesBy: (owners) => `Map: ${owners}`,
  outlinesBy: (owner) => `Outlines of land and borders: ${owner}, public domain`,
  software: "Software in this document",
  moreRows: (count) => `and ${count} more`,

  route: "Route",
  fastestRoute: "Best route",
  alternative: (number) => `Alternative ${number}`,
  start: "Start",
  stop: "Stop",
  end: "Destination",
  delay: (duration) => `${duration} delay`,
  charging: (duration) => `${duration} charging`,
  chargeTo: (percent) => `Charge to ${percent}`,
  chargingStop: "Charging stop",
  traffic: "Traffic",
  delayMinor: "Minor delay",
  delayModerate: "Moderate delay",
  delayMajor: "Major delay",
  delayUnknown: "Closed or unknown delay",
  toll: "Toll",
  ferry: "Ferry",
  tunnel: "Tunnel",
  border: (from, to) => `Border ${from} – ${to}`,
  borderPlain: "Border",
  place: "Place",
  area: "Area",
  searchedArea: "Searched area",
  reachable: "Reachable area",
  away: (distance) => `${distance} away`,
  incidents: (count, written) => (count === 1 ? "1 traffic incident" : `${written} traffic incidents`),
  fromTo: (from, to) => `${from} → ${to}`,

  onTheWay: "On the way",
  directions: "Directions",
  after: (distance) => `after ${distance}`,
  turns: {
    depart: "Set off",
    arrive: "Arrive",
    waypoint: "Reach the stop",
    straight: "Go straight on",
    left: "Turn left",
    right: "Turn right",
    keepLeft: "Keep left",
    keepRight: "Keep right",
    roundabout: "Take the roundabout",
    motorway: "Enter the motorway",
    exit: "Take the exit",
    uturn: "Make a U-turn",
    ferry: "Take the ferry",
  },
  operator: "Operator",
  power: "Power",
  chargingTime: "Charging time",
  chargeTarget: "Charge to",
  arrivalCharge: "Arrive with",
  phone: "Phone",
  address: "Address",
  openingHours: "Opening hours",
  openAlways: "Always open",
  website: "Website",
  ask: "Ask about this",
  askText: (name) => `Tell me more about "${name}" on the map.`,
  asked: "Question sent",
  notAsked: "Not sent. Try again",
  connectors: "Connectors",
  free: (free, total) => `${free} of ${total} free`,
  placesHere: (count) => `${count} places here`,
  areaSize: (size) => `Area: ${size}`,
  few: "few",
  many: "many",
  entries: "Entries",
  sizeBy: (property) => `Size: ${property}`,
  startsAt: "Since",
  endsAt: "Until",
  length: "Length",
  averageSpeed: "Speed",
  incidentKinds: {
    other: "Traffic incident",
    accident: "Accident",
    weather: "Dangerous weather",
    jam: "Traffic jam",
    laneClosed: "Lane closed",
    closed: "Road closed",
    roadworks: "Roadworks",
    flooding: "Flooding",
    breakdown: "Broken-down vehicle",
  },
};

const catalogue: Readonly<Record<string, Texts>> = {
  en: english,
  de: german,
  nl: dutch,
  ja: japanese,
};

/** textsFor answers the texts of a BCP 47 locale's language, English where there are none. */
export function textsFor(locale: string | undefined): Texts {
  const language = locale?.split(/[-_]/)[0]?.toLowerCase() ?? "en";
  return Object.hasOwn(catalogue, language) ? catalogue[language]! : english;
}
