CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
CREATE TABLE cases (
	digest VARCHAR NOT NULL, 
	protocol VARCHAR NOT NULL, 
	"group" VARCHAR NOT NULL, 
	payload_version INTEGER NOT NULL, 
	payload JSON NOT NULL, 
	PRIMARY KEY (digest)
);
CREATE INDEX ix_cases_group ON cases ("group");
CREATE TABLE datasets (
	name VARCHAR NOT NULL, 
	protocol VARCHAR NOT NULL, 
	source VARCHAR NOT NULL, 
	imported_at VARCHAR NOT NULL, 
	PRIMARY KEY (name)
);
CREATE TABLE studies (
	name VARCHAR NOT NULL, 
	protocol VARCHAR NOT NULL, 
	seed BIGINT NOT NULL, 
	"view" VARCHAR NOT NULL, 
	design JSON NOT NULL, 
	questions JSON NOT NULL, 
	created_at VARCHAR NOT NULL, 
	closed_at VARCHAR, 
	PRIMARY KEY (name), 
	CONSTRAINT view_is_known CHECK (view IN ('full', 'paper'))
);
CREATE TABLE assignments (
	study VARCHAR NOT NULL, 
	rater VARCHAR NOT NULL, 
	order_seed BIGINT NOT NULL, 
	joined_at VARCHAR NOT NULL, field VARCHAR(200), degree VARCHAR(200), years INTEGER, role VARCHAR NOT NULL DEFAULT 'rater' CONSTRAINT role_is_known CHECK (role IN ('rater', 'adjudicator')), 
	PRIMARY KEY (study, rater), 
	FOREIGN KEY(study) REFERENCES studies (name)
);
CREATE TABLE findings (
	"case" VARCHAR NOT NULL, 
	"check" VARCHAR NOT NULL, 
	check_version INTEGER NOT NULL, 
	passed BOOLEAN NOT NULL, 
	severity VARCHAR NOT NULL, 
	value JSON NOT NULL, 
	threshold JSON NOT NULL, 
	why VARCHAR NOT NULL, 
	question VARCHAR, 
	id INTEGER NOT NULL, tested BOOLEAN DEFAULT 1 NOT NULL, places JSON, 
	PRIMARY KEY (id), 
	CONSTRAINT severity_is_known CHECK (severity IN ('serious', 'doubtful', 'untidy')), 
	FOREIGN KEY("case") REFERENCES cases (digest), 
	CONSTRAINT one_result UNIQUE ("case", "check", check_version)
);
CREATE TABLE measurements (
	"case" VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	variant VARCHAR NOT NULL, 
	source VARCHAR NOT NULL, 
	dataset VARCHAR NOT NULL, 
	"key" VARCHAR NOT NULL, 
	engine VARCHAR NOT NULL, 
	program VARCHAR NOT NULL, 
	value JSON NOT NULL, 
	id INTEGER NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT source_is_known CHECK (source IN ('published', 'measured')), 
	FOREIGN KEY("case") REFERENCES cases (digest), 
	CONSTRAINT one_value UNIQUE ("case", name, variant, source, dataset, "key", engine, program)
);
CREATE TABLE memberships (
	dataset VARCHAR NOT NULL, 
	"key" VARCHAR NOT NULL, 
	"case" VARCHAR NOT NULL, 
	position INTEGER NOT NULL, 
	generator VARCHAR NOT NULL, 
	run VARCHAR, 
	origin VARCHAR NOT NULL, 
	extra JSON NOT NULL, raw TEXT, 
	PRIMARY KEY (dataset, "key"), 
	CONSTRAINT origin_is_known CHECK (origin IN ('seed', 'generated')), 
	FOREIGN KEY("case") REFERENCES cases (digest), 
	FOREIGN KEY(dataset) REFERENCES datasets (name)
);
CREATE INDEX ix_memberships_case ON memberships ("case");
CREATE INDEX memberships_by_position ON memberships (dataset, position);
CREATE TABLE study_cases (
	study VARCHAR NOT NULL, 
	"case" VARCHAR NOT NULL, 
	position INTEGER NOT NULL, 
	dataset VARCHAR NOT NULL, 
	"key" VARCHAR NOT NULL, 
	"group" VARCHAR NOT NULL, 
	generator VARCHAR NOT NULL, role VARCHAR NOT NULL DEFAULT 'counted' CONSTRAINT role_is_known CHECK (role IN ('counted', 'training', 'gold')), 
	PRIMARY KEY (study, "case"), 
	FOREIGN KEY("case") REFERENCES cases (digest), 
	FOREIGN KEY(study) REFERENCES studies (name), 
	CONSTRAINT one_case_a_position UNIQUE (study, position)
);
CREATE TABLE events (
	id VARCHAR NOT NULL, 
	study VARCHAR NOT NULL, 
	rater VARCHAR NOT NULL, 
	"case" VARCHAR NOT NULL, 
	question VARCHAR NOT NULL, 
	question_digest VARCHAR NOT NULL, 
	showing INTEGER NOT NULL, 
	phase VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	value VARCHAR, 
	target VARCHAR, 
	supersedes JSON NOT NULL, 
	at VARCHAR NOT NULL, 
	active_ms INTEGER, 
	digest VARCHAR NOT NULL, swapped BOOLEAN, passage JSON, given VARCHAR, panes JSON, follows JSON, 
	PRIMARY KEY (id), 
	CONSTRAINT kind_is_known CHECK (kind IN ('label', 'undo', 'skip', 'comment', 'flag', 'note', 'reason', 'adjudication')), 
	CONSTRAINT phase_is_known CHECK (phase IN ('before', 'after')), 
	FOREIGN KEY(study, "case") REFERENCES study_cases (study, "case"), 
	FOREIGN KEY(study, rater) REFERENCES assignments (study, rater), 
	FOREIGN KEY(study) REFERENCES studies (name)
);
CREATE INDEX events_by_rater ON events (study, rater, id);
CREATE TABLE known_answers (
	study VARCHAR NOT NULL, 
	"case" VARCHAR NOT NULL, 
	question VARCHAR NOT NULL, 
	label VARCHAR NOT NULL, 
	why VARCHAR NOT NULL, 
	PRIMARY KEY (study, "case", question), 
	FOREIGN KEY(study) REFERENCES studies (name), 
	FOREIGN KEY("case") REFERENCES cases (digest)
);
CREATE TABLE links (
	secret_digest VARCHAR NOT NULL, 
	study VARCHAR NOT NULL, 
	rater VARCHAR NOT NULL, 
	made_at VARCHAR NOT NULL, 
	expires_at VARCHAR NOT NULL, 
	revoked_at VARCHAR, 
	PRIMARY KEY (secret_digest), 
	FOREIGN KEY(study, rater) REFERENCES assignments (study, rater)
);
CREATE INDEX links_by_rater ON links (study, rater);
CREATE TABLE embeddings (
	model VARCHAR NOT NULL, 
	text VARCHAR NOT NULL, 
	vector BLOB NOT NULL, 
	PRIMARY KEY (model, text)
);
CREATE TABLE calls (
	id VARCHAR NOT NULL, 
	ask VARCHAR NOT NULL, 
	endpoint VARCHAR NOT NULL, 
	model VARCHAR NOT NULL, 
	purpose VARCHAR NOT NULL, 
	repeat INTEGER NOT NULL, 
	attempt INTEGER NOT NULL, 
	request JSON NOT NULL, 
	response JSON, 
	status INTEGER, 
	prompt_tokens BIGINT, 
	completion_tokens BIGINT, 
	cost FLOAT, 
	seconds FLOAT NOT NULL, 
	error VARCHAR, 
	at VARCHAR NOT NULL, 
	PRIMARY KEY (id)
);
CREATE INDEX calls_by_ask ON calls (ask, endpoint);
CREATE TABLE runs (
	name VARCHAR(64) NOT NULL, 
	protocol VARCHAR NOT NULL, 
	model VARCHAR NOT NULL, 
	seed BIGINT NOT NULL, 
	settings JSON NOT NULL, 
	prompts JSON NOT NULL, 
	prompts_digest VARCHAR NOT NULL, 
	seeds JSON NOT NULL, 
	state VARCHAR NOT NULL, 
	why VARCHAR NOT NULL, 
	rounds INTEGER NOT NULL, 
	calls INTEGER NOT NULL, 
	started_at VARCHAR NOT NULL, 
	ended_at VARCHAR, 
	PRIMARY KEY (name), 
	CONSTRAINT state_is_known CHECK (state IN ('open', 'finished'))
);
CREATE TABLE candidates (
	run VARCHAR(64) NOT NULL, 
	number INTEGER NOT NULL, 
	"group" VARCHAR NOT NULL, 
	expansion INTEGER NOT NULL, 
	place INTEGER NOT NULL, 
	"key" VARCHAR NOT NULL, 
	approved BOOLEAN NOT NULL, 
	step VARCHAR NOT NULL, 
	"check" VARCHAR NOT NULL, 
	counts_as VARCHAR NOT NULL, 
	value JSON NOT NULL, 
	threshold JSON NOT NULL, 
	why VARCHAR NOT NULL, 
	payload JSON NOT NULL, 
	"values" JSON NOT NULL, 
	calls JSON NOT NULL, 
	prompts_digest VARCHAR NOT NULL, 
	"case" VARCHAR, 
	PRIMARY KEY (run, number), 
	FOREIGN KEY(run) REFERENCES runs (name), 
	FOREIGN KEY("case") REFERENCES cases (digest)
);
CREATE INDEX candidates_by_fate ON candidates (run, approved, "group");
CREATE TABLE study_secrets (
	study VARCHAR NOT NULL, 
	secret VARCHAR NOT NULL, 
	PRIMARY KEY (study), 
	FOREIGN KEY(study) REFERENCES studies (name)
);
CREATE TABLE pack_seals (
	study VARCHAR NOT NULL, 
	rater VARCHAR NOT NULL, 
	manifest JSON NOT NULL, 
	signature VARCHAR NOT NULL, 
	PRIMARY KEY (study, rater), 
	FOREIGN KEY(study) REFERENCES studies (name)
);
CREATE TABLE arrivals (
	id INTEGER NOT NULL, 
	study VARCHAR NOT NULL, 
	rater VARCHAR NOT NULL, 
	source VARCHAR NOT NULL, 
	events INTEGER NOT NULL, 
	at VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(study) REFERENCES studies (name)
);
CREATE INDEX arrivals_by_rater ON arrivals (study, rater, id);
CREATE TABLE holds (
	run VARCHAR(64) NOT NULL, 
	holder VARCHAR NOT NULL, 
	machine VARCHAR NOT NULL, 
	host VARCHAR NOT NULL, 
	process INTEGER NOT NULL, 
	since VARCHAR NOT NULL, 
	until VARCHAR NOT NULL, 
	PRIMARY KEY (run)
);
CREATE TABLE study_descriptions (
	study VARCHAR(64) NOT NULL, 
	topic VARCHAR NOT NULL, 
	text VARCHAR NOT NULL, 
	who VARCHAR NOT NULL, 
	at VARCHAR NOT NULL, 
	PRIMARY KEY (study, topic), 
	FOREIGN KEY(study) REFERENCES studies (name)
);
CREATE TABLE signed_counts (
	id VARCHAR NOT NULL, 
	study VARCHAR NOT NULL, 
	occasion VARCHAR NOT NULL, 
	at VARCHAR NOT NULL, 
	digest VARCHAR NOT NULL, 
	content JSON NOT NULL, 
	signature VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT occasion_is_known CHECK (occasion IN ('new', 'pack', 'close', 'report')), 
	FOREIGN KEY(study) REFERENCES studies (name)
);
CREATE INDEX ix_signed_counts_study ON signed_counts (study);
CREATE TABLE kept_aside (
	event VARCHAR NOT NULL, 
	study VARCHAR NOT NULL, 
	rater VARCHAR NOT NULL, 
	source VARCHAR NOT NULL, 
	why VARCHAR NOT NULL, 
	at VARCHAR NOT NULL, 
	content JSON, 
	PRIMARY KEY (event), 
	FOREIGN KEY(study) REFERENCES studies (name)
);
CREATE INDEX ix_kept_aside_study ON kept_aside (study);
CREATE TABLE revisions (
	id VARCHAR NOT NULL, 
	dataset VARCHAR NOT NULL, 
	"key" VARCHAR NOT NULL, 
	parent VARCHAR NOT NULL, 
	settles JSON NOT NULL, 
	case_before VARCHAR NOT NULL, 
	case_after VARCHAR, 
	kind VARCHAR NOT NULL, 
	author VARCHAR NOT NULL, 
	reason VARCHAR NOT NULL, 
	resolves JSON NOT NULL, 
	proposed_by VARCHAR NOT NULL, 
	"before" JSON NOT NULL, 
	"after" JSON NOT NULL, 
	replaced JSON NOT NULL, 
	created VARCHAR NOT NULL, 
	digest VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT kind_is_known CHECK (kind IN ('repair', 'withdrawal', 'revert', 'import', 'settlement')), 
	CONSTRAINT proposed_by_is_known CHECK (proposed_by IN ('person', 'rule', 'model')), 
	FOREIGN KEY(dataset) REFERENCES datasets (name), 
	FOREIGN KEY(case_before) REFERENCES cases (digest), 
	FOREIGN KEY(case_after) REFERENCES cases (digest)
);
CREATE INDEX ix_revisions_dataset ON revisions (dataset);
CREATE INDEX revisions_by_place ON revisions (dataset, "key");
CREATE TABLE todos (
	id VARCHAR NOT NULL, 
	dataset VARCHAR NOT NULL, 
	"key" VARCHAR NOT NULL, 
	note VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	made_by VARCHAR NOT NULL, 
	made_at VARCHAR NOT NULL, 
	done_by VARCHAR, 
	done_at VARCHAR, 
	PRIMARY KEY (id), 
	FOREIGN KEY(dataset) REFERENCES datasets (name)
);
CREATE INDEX ix_todos_dataset ON todos (dataset);
CREATE TABLE "dismissals" (
	"case" VARCHAR(64) NOT NULL, 
	"check" VARCHAR NOT NULL, 
	check_version INTEGER NOT NULL, 
	who VARCHAR NOT NULL, 
	why VARCHAR NOT NULL, 
	at VARCHAR NOT NULL, 
	PRIMARY KEY ("case", "check", check_version), 
	FOREIGN KEY("case") REFERENCES cases (digest)
);
CREATE TABLE citations (
	dataset VARCHAR NOT NULL, 
	licence VARCHAR NOT NULL, 
	authors JSON NOT NULL, 
	contact VARCHAR NOT NULL, 
	PRIMARY KEY (dataset), 
	FOREIGN KEY(dataset) REFERENCES datasets (name)
);
CREATE TABLE releases (
	dataset VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	version VARCHAR NOT NULL, 
	seal VARCHAR NOT NULL, 
	origin VARCHAR NOT NULL, 
	program VARCHAR NOT NULL, 
	content JSON NOT NULL, 
	at VARCHAR NOT NULL, 
	PRIMARY KEY (dataset, name, version), 
	CONSTRAINT release_origin_is_known CHECK (origin IN ('made', 'imported')), 
	FOREIGN KEY(dataset) REFERENCES datasets (name)
);
CREATE TABLE declarations (
	name VARCHAR NOT NULL, 
	version INTEGER NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	text VARCHAR NOT NULL, 
	kept_at VARCHAR NOT NULL, 
	PRIMARY KEY (name, version)
);
CREATE TABLE group_definitions (
	dataset VARCHAR(64) NOT NULL, 
	"group" VARCHAR NOT NULL, 
	definition VARCHAR NOT NULL, 
	PRIMARY KEY (dataset, "group"), 
	FOREIGN KEY(dataset) REFERENCES datasets (name)
);
CREATE TABLE "study_acts" (
	id VARCHAR NOT NULL, 
	study VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	who VARCHAR NOT NULL, 
	why VARCHAR NOT NULL, 
	subject VARCHAR, 
	unfinished JSON NOT NULL, 
	held JSON NOT NULL, 
	at VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT kind_is_known CHECK (kind IN ('close', 'reopen', 'admit', 'lead', 'exclude', 'include')), 
	FOREIGN KEY(study) REFERENCES studies (name)
);
CREATE INDEX ix_study_acts_study ON study_acts (study);
CREATE TABLE evaluations (
	name VARCHAR(64) NOT NULL, 
	protocol VARCHAR NOT NULL, 
	settings JSON NOT NULL, 
	created_at VARCHAR NOT NULL, 
	created_by VARCHAR(64) NOT NULL, 
	PRIMARY KEY (name)
);
CREATE TABLE evaluation_models (
	run VARCHAR(64) NOT NULL, 
	model VARCHAR NOT NULL, 
	number INTEGER NOT NULL, 
	endpoint VARCHAR NOT NULL, 
	added_at VARCHAR NOT NULL, 
	PRIMARY KEY (run, model), 
	FOREIGN KEY(run) REFERENCES evaluations (name)
);
CREATE TABLE evaluation_cases (
	run VARCHAR(64) NOT NULL, 
	place INTEGER NOT NULL, 
	dataset VARCHAR NOT NULL, 
	"key" VARCHAR NOT NULL, 
	digest VARCHAR NOT NULL, 
	generator VARCHAR NOT NULL, 
	PRIMARY KEY (run, place), 
	FOREIGN KEY(run) REFERENCES evaluations (name), 
	FOREIGN KEY(digest) REFERENCES cases (digest)
);
CREATE INDEX ix_evaluation_cases_digest ON evaluation_cases (digest);
CREATE TABLE outcomes (
	run VARCHAR(64) NOT NULL, 
	model VARCHAR NOT NULL, 
	"case" INTEGER NOT NULL, 
	condition VARCHAR NOT NULL, 
	repeat INTEGER NOT NULL, 
	state VARCHAR NOT NULL, 
	label VARCHAR, 
	reader_version INTEGER NOT NULL, 
	request VARCHAR NOT NULL, 
	why VARCHAR NOT NULL, 
	reply VARCHAR NOT NULL, 
	PRIMARY KEY (run, model, "case", condition, repeat), 
	FOREIGN KEY(run, model) REFERENCES evaluation_models (run, model), 
	FOREIGN KEY(run, "case") REFERENCES evaluation_cases (run, place), 
	CONSTRAINT state_is_known CHECK (state IN ('read', 'unreadable', 'missing', 'not_asked')), 
	FOREIGN KEY(run) REFERENCES evaluations (name)
);
CREATE TABLE dataset_dismissals (
	id VARCHAR NOT NULL, 
	dataset VARCHAR(64) NOT NULL, 
	"check" VARCHAR NOT NULL, 
	check_version INTEGER NOT NULL, 
	found VARCHAR NOT NULL, 
	restored BOOLEAN NOT NULL, 
	who VARCHAR(64) NOT NULL, 
	why VARCHAR NOT NULL, 
	at VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(dataset) REFERENCES datasets (name)
);
CREATE INDEX ix_dataset_dismissals_dataset ON dataset_dismissals (dataset);
CREATE TABLE evaluation_processes (
	holder VARCHAR NOT NULL, 
	run VARCHAR(64) NOT NULL, 
	models JSON NOT NULL, 
	machine VARCHAR NOT NULL, 
	host VARCHAR NOT NULL, 
	process INTEGER NOT NULL, 
	endpoint VARCHAR NOT NULL, 
	requests_per_minute INTEGER, 
	tokens_per_minute INTEGER, 
	until BIGINT NOT NULL, 
	PRIMARY KEY (holder)
);
CREATE TABLE evaluation_chunks (
	run VARCHAR(64) NOT NULL, 
	number INTEGER NOT NULL, 
	model VARCHAR NOT NULL, 
	repeat INTEGER NOT NULL, 
	first INTEGER NOT NULL, 
	places INTEGER NOT NULL, 
	holder VARCHAR NOT NULL, 
	done BOOLEAN NOT NULL, 
	PRIMARY KEY (run, number)
);
CREATE TABLE endpoint_use (
	endpoint VARCHAR NOT NULL, 
	seconds JSON NOT NULL, 
	PRIMARY KEY (endpoint)
);
CREATE TABLE seats (
	db_user VARCHAR NOT NULL, 
	study VARCHAR NOT NULL, 
	rater VARCHAR NOT NULL, 
	pack BLOB NOT NULL, 
	cases JSON NOT NULL, 
	granted_at VARCHAR NOT NULL, 
	PRIMARY KEY (db_user, study), 
	FOREIGN KEY(study, rater) REFERENCES assignments (study, rater)
);
CREATE TRIGGER events_refuse_update BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER events_refuse_delete BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER events_refuse_replace BEFORE INSERT ON events WHEN EXISTS (SELECT 1 FROM events WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER study_acts_refuse_update BEFORE UPDATE ON study_acts BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER study_acts_refuse_delete BEFORE DELETE ON study_acts BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER study_acts_refuse_replace BEFORE INSERT ON study_acts WHEN EXISTS (SELECT 1 FROM study_acts WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER signed_counts_refuse_update BEFORE UPDATE ON signed_counts BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER signed_counts_refuse_delete BEFORE DELETE ON signed_counts BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER signed_counts_refuse_replace BEFORE INSERT ON signed_counts WHEN EXISTS (SELECT 1 FROM signed_counts WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER kept_aside_refuse_update BEFORE UPDATE ON kept_aside BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER kept_aside_refuse_delete BEFORE DELETE ON kept_aside BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER kept_aside_refuse_replace BEFORE INSERT ON kept_aside WHEN EXISTS (SELECT 1 FROM kept_aside WHERE event = NEW.event) BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER revisions_refuse_update BEFORE UPDATE ON revisions BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER revisions_refuse_delete BEFORE DELETE ON revisions BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER revisions_refuse_replace BEFORE INSERT ON revisions WHEN EXISTS (SELECT 1 FROM revisions WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER dataset_dismissals_refuse_update BEFORE UPDATE ON dataset_dismissals BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER dataset_dismissals_refuse_delete BEFORE DELETE ON dataset_dismissals BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER dataset_dismissals_refuse_replace BEFORE INSERT ON dataset_dismissals WHEN EXISTS (SELECT 1 FROM dataset_dismissals WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
