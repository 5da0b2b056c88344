"""Memories as mem0 stores them, and the memories that pass each filter."""

DIMENSIONS = 4
ANA_JAZZ, ANA_CHESS, BEN_RACES, NOBODY = (f"00000000-0000-4000-8000-00000000000{n}" for n in range(1, 5))
PAYLOADS = {
    ANA_JAZZ: {
        "data": "Likes jazz", "text_lemmatized": "like jazz", "user_id": "ana", "agent_id": "bot", "run_id": "monday",
        "category": "music", "rank": 1, "weight": 0.5, "open": True,
    },
    ANA_CHESS: {
        "data": "Plays chess", "text_lemmatized": "play chess", "user_id": "ana", "run_id": "tuesday",
        "category": "games", "rank": 2, "weight": 1.5, "open": False,
    },
    BEN_RACES: {
        "data": "Runs 100% of all races", "text_lemmatized": "run 100 race", "user_id": "ben", "run_id": "monday",
        "category": "sport", "rank": 10, "weight": 2.5, "open": True, "note": "like_this",
    },
}
VECTORS = {ANA_JAZZ: [1.0, 0.0, 0.0, 0.0], ANA_CHESS: [0.8, 0.6, 0.0, 0.0], BEN_RACES: [0.0, 1.0, 0.0, 0.0]}
FILTERS = [
    ({}, {ANA_JAZZ, ANA_CHESS, BEN_RACES}),
    ({"user_id": "ana"}, {ANA_JAZZ, ANA_CHESS}),
    ({"agent_id": "bot"}, {ANA_JAZZ}),
    ({"run_id": "monday"}, {ANA_JAZZ, BEN_RACES}),
    ({"user_id": "ana", "run_id": "monday"}, {ANA_JAZZ}),
    ({"user_id": ["ana", "ben"]}, {ANA_JAZZ, ANA_CHESS, BEN_RACES}),
    ({"user_id": "nobody"}, set()),
    ({"agent_id": "*"}, {ANA_JAZZ}),
    ({"category": "games"}, {ANA_CHESS}),
    ({"category": ["games", "sport"]}, {ANA_CHESS, BEN_RACES}),
    ({"open": True}, {ANA_JAZZ, BEN_RACES}),
    ({"open": False}, {ANA_CHESS}),
    ({"rank": 2}, {ANA_CHESS}),
    ({"rank": {"gt": 2}}, {BEN_RACES}),
    ({"rank": {"gte": 2, "lt": 10}}, {ANA_CHESS}),
    ({"weight": {"lte": 1.5}}, {ANA_JAZZ, ANA_CHESS}),
    ({"rank": {"in": [1, 10]}}, {ANA_JAZZ, BEN_RACES}),
    ({"category": {"eq": "music"}}, {ANA_JAZZ}),
    ({"category": {"ne": "music"}}, {ANA_CHESS, BEN_RACES}),
    ({"category": {"nin": ["music", "games"]}}, {BEN_RACES}),
    ({"data": {"contains": "100%"}}, {BEN_RACES}),
    ({"data": {"contains": "likes"}}, set()),
    ({"data": {"icontains": "LIKES"}}, {ANA_JAZZ}),
    ({"note": {"icontains": "LIKE_T"}}, {BEN_RACES}),
    ({"note": "*"}, {BEN_RACES}),
    ({"$or": [{"user_id": "ben"}, {"category": "games"}]}, {ANA_CHESS, BEN_RACES}),
    ({"$not": [{"user_id": "ben"}]}, {ANA_JAZZ, ANA_CHESS}),
    ({"$or": [{"rank": {"lt": 2}}, {"rank": {"gt": 5}}], "open": True}, {ANA_JAZZ, BEN_RACES}),
]
NAMES = [str(filters) for filters, _ in FILTERS]
